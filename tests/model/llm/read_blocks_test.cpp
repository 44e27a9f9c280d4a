#include "model/llm/read_blocks.h"

#include "tests/support/specs.h"

namespace fathom::model {
namespace {

struct Known {
  const char* text;                   ///< a whole block, each key on its own line
  std::vector<std::string> optional;  ///< keys that may be left out
  std::size_t alternative;
};

const std::vector<Known>& mixers() {
  static const std::vector<Known> all{
      {"kind: grouped\nheads: 4\nkv_heads: 2\nhead: 4\nqk_norm: none\nwindow: 8\n", {"window"}, 0},
      {"kind: latent\nheads: 4\nquery_rank: none\nlatent_rank: 4\nnope_head: 2\nrope_head: 2\n"
       "value_head: 4\noutput_gate: true\n",
       {"output_gate"},
       1},
      {"kind: compressed\nheads: 4\nquery_rank: 8\nhead: 4\nrope_head: 2\nwindow: 8\nratio: none\n"
       "output_groups: 2\noutput_rank: 4\n",
       {},
       2},
      {"kind: mamba1\ninner: 16\nstate: 4\nconv: 4\ndt_rank: 2\nconv_bias: true\n", {}, 3},
      {"kind: mamba2\nheads: 4\nhead: 4\ngroups: 2\nstate: 4\nconv: 4\nconv_bias: false\n", {}, 4},
      {"kind: delta-net\nkey_heads: 2\nvalue_heads: 4\nkey_head: 4\nvalue_head: 4\nconv: 4\n",
       {},
       5},
      {"kind: keyed-delta\nheads: 4\nhead: 4\nconv: 4\ndecay_rank: 2\ngate_rank: none\n", {}, 6},
      {"kind: lightning\nheads: 4\nhead: 4\n", {}, 7},
      {"kind: none\n", {}, 8},
  };
  return all;
}

const std::vector<Known>& ffns() {
  static const std::vector<Known> all{
      {"kind: dense\nwidth: 8\nbias: true\n", {"bias"}, 0},
      {"kind: moe\nexperts: 4\ntop_k: 2\nwidth: 6\nshared_width: none\nrouter_bias: true\n"
       "zero_experts: 2\n",
       {"zero_experts"},
       1},
      {"kind: none\n", {}, 2},
  };
  return all;
}

/// Each line but one, for each line but `kind`.
struct Shorter {
  std::string key;
  std::string text;
};

std::vector<Shorter> shorter(const std::string& text) {
  std::vector<Shorter> out;
  for (std::size_t at = text.find('\n') + 1; at < text.size();) {
    const auto end = text.find('\n', at) + 1;
    out.push_back(
        {text.substr(at, text.find(':', at) - at), text.substr(0, at) + text.substr(end)});
    at = end;
  }
  return out;
}

template <class Read>
void check_keys(const Known& known, Read read) {
  hardware::Diagnostics fine;
  const auto block = read(test::tree_of(known.text), fine);
  INFO(known.text << render(fine));
  REQUIRE(block);
  CHECK(block->index() == known.alternative);
  for (const Shorter& less : shorter(known.text)) {
    hardware::Diagnostics diagnostics;
    const bool sound = read(test::tree_of(less.text), diagnostics).has_value();
    const bool optional =
        std::find(known.optional.begin(), known.optional.end(), less.key) != known.optional.end();
    INFO(less.key);
    CHECK(sound == optional);
    if (!optional) {
      CHECK_THAT(render(diagnostics), ContainsSubstring("missing key '" + less.key + "'"));
    }
  }
}

TEST_CASE("each kind of mixer has its keys, and each is required but where it says otherwise") {
  for (const Known& known : mixers()) {
    check_keys(known, read_attention);
  }
}

TEST_CASE("each kind of FFN has its keys") {
  for (const Known& known : ffns()) {
    check_keys(known, read_mlp);
  }
}

std::string attention_error(const std::string& text) {
  hardware::Diagnostics diagnostics;
  CHECK_FALSE(read_attention(test::tree_of(text), diagnostics));
  return render(diagnostics);
}

TEST_CASE("the key of one kind is unknown to another") {
  hardware::Diagnostics diagnostics;
  read_attention(test::tree_of("{kind: lightning, heads: 4, head: 4, window: 8}"), diagnostics);
  CHECK_THAT(render(diagnostics), ContainsSubstring("unknown key 'window' in 'attention'"));
}

TEST_CASE("an unknown kind names the nearest") {
  CHECK_THAT(attention_error("kind: mamba3\n"), ContainsSubstring("did you mean 'mamba1'?"));
}

TEST_CASE("heads come in whole groups, whatever they are called") {
  CHECK_THAT(attention_error("{kind: mamba2, heads: 4, head: 4, groups: 3, state: 4, conv: 4, "
                             "conv_bias: true}"),
             ContainsSubstring("4 heads do not divide into 3 groups"));
  CHECK_THAT(attention_error("{kind: delta-net, key_heads: 3, value_heads: 4, key_head: 4, "
                             "value_head: 4, conv: 4}"),
             ContainsSubstring("4 value heads do not divide into 3 key heads"));
  CHECK_THAT(attention_error("{kind: compressed, heads: 4, query_rank: 8, head: 4, rope_head: 2, "
                             "window: 8, ratio: none, output_groups: 3, output_rank: 4}"),
             ContainsSubstring("4 heads of 4 do not divide into 3 output groups"));
}

TEST_CASE("what a layer attends to has one bound") {
  const std::string grouped = "kind: grouped, heads: 4, kv_heads: 2, head: 4, qk_norm: none, ";
  CHECK_THAT(attention_error("{" + grouped + "window: 8, chunk: 8}"),
             ContainsSubstring("a window or a chunk, not both"));
  CHECK_THAT(attention_error("{" + grouped + "window: 8, indexer: {heads: 1, head: 4, top_k: 8}}"),
             ContainsSubstring("picks its tokens or has a window or chunk, not both"));
  CHECK_THAT(attention_error("{" + grouped + "indexer: {heads: 1, head: 4, top_k: 8, block: 3}}"),
             ContainsSubstring("top_k 8 is no multiple of the block of 3 tokens"));
  CHECK_THAT(attention_error("{" + grouped + "value_head: 2, value_is_key: true}"),
             ContainsSubstring("values of 2 cannot be keys of 4"));
}

TEST_CASE("compressed entries are there before they are picked") {
  const std::string compressed =
      "kind: compressed, heads: 4, query_rank: 8, head: 4, window: 8, output_groups: 2, "
      "output_rank: 4, ";
  CHECK_THAT(attention_error("{" + compressed +
                             "rope_head: 2, ratio: none, indexer: {heads: 1, head: 4, top_k: 8}}"),
             ContainsSubstring("it needs a ratio"));
  CHECK_THAT(attention_error("{" + compressed +
                             "rope_head: 2, ratio: 4, "
                             "indexer: {heads: 1, head: 4, top_k: 8, block: 4}}"),
             ContainsSubstring("has no 'block' and is not 'shared'"));
  CHECK_THAT(attention_error("{" + compressed + "rope_head: 8, ratio: 4}"),
             ContainsSubstring("rope_head 8 exceeds the head of 4"));
}

TEST_CASE("a latent_norm needs a latent, and picks may be of nothing") {
  hardware::Diagnostics diagnostics;
  const std::string moe = "kind: moe, experts: 4, width: 6, shared_width: 0, router_bias: false, ";
  CHECK_FALSE(read_mlp(test::tree_of("{" + moe + "top_k: 2, latent_norm: true}"), diagnostics));
  CHECK_THAT(render(diagnostics), ContainsSubstring("a latent_norm needs a latent width"));
  CHECK(read_mlp(test::tree_of("{" + moe + "top_k: 5, zero_experts: 2}"), diagnostics));
}

}  // namespace
}  // namespace fathom::model
