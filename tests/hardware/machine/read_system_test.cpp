#include "hardware/machine/read_system.h"

#include "tests/support/specs.h"

namespace fathom::hardware {
namespace {

constexpr const char* kBox =
    "system: box\n"
    "accelerator: card\n"
    "gpus_per_node: 4\n"
    "link:\n"
    "  kind: pcie\n"
    "  bandwidth: 60 GB/s\n"
    "  peer_to_peer: false\n"
    "  ring: {latency: {low: 2 us, high: 8 us}, efficiency: {low: 0.2, high: 0.8}}\n";

std::optional<SystemSpec> read(const std::string& text, Diagnostics& diagnostics, Count gpus = 0,
                               IntervalEnd end = IntervalEnd::Point) {
  AcceleratorSpec card;
  card.id = "card";
  return read_system(test::tree_of(text), card, gpus, end, diagnostics);
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kBox;
  text.replace(text.find(from), from.size(), to);
  return text;
}

std::string errors_of(const std::string& text, Count gpus = 0) {
  Diagnostics diagnostics;
  CHECK_FALSE(read(text, diagnostics, gpus));
  return render(diagnostics);
}

TEST_CASE("a system of eight lines is whole, with all GPUs unless told") {
  Diagnostics diagnostics;
  const auto box = read(kBox, diagnostics);
  REQUIRE(box);
  CHECK(box->accelerator.id == "card");
  CHECK(box->gpus == 4);
  CHECK(box->link.kind == LinkKind::Pcie);
  CHECK(box->link.bandwidth == BytesPerSecond(60e9));
  CHECK(box->link.ring.offered);
  CHECK(box->link.ring.min_ranks == 2);
  CHECK_FALSE(box->link.one_shot.offered);
  CHECK(read(kBox, diagnostics, 2)->gpus == 2);
}

TEST_CASE("an interval is read at its slow end, its geometric mean or its fast end") {
  Diagnostics diagnostics;
  const auto slow = read(kBox, diagnostics, 0, IntervalEnd::Slow);
  const auto point = read(kBox, diagnostics, 0, IntervalEnd::Point);
  const auto fast = read(kBox, diagnostics, 0, IntervalEnd::Fast);
  REQUIRE((slow && point && fast));
  CHECK(slow->link.ring.latency == Seconds(8e-6));
  CHECK_THAT(point->link.ring.latency.base(), WithinRel(4e-6, 1e-12));
  CHECK(fast->link.ring.latency == Seconds(2e-6));
  CHECK(slow->link.ring.efficiency == 0.2);
  CHECK_THAT(point->link.ring.efficiency, WithinRel(0.4, 1e-12));
  CHECK(fast->link.ring.efficiency == 0.8);
  CHECK(point->has_intervals);
}

TEST_CASE("a system of points has no intervals") {
  Diagnostics diagnostics;
  const auto box = read(changed("{latency: {low: 2 us, high: 8 us}, efficiency: {low: 0.2, high: "
                                "0.8}}",
                                "{latency: 4 us, efficiency: 0.4}"),
                        diagnostics);
  REQUIRE(box);
  CHECK_FALSE(box->has_intervals);
}

TEST_CASE("more GPUs than one node holds is refused, naming the key that is missing") {
  CHECK(errors_of(kBox, 8) ==
        "a.yaml:3:16: error: 8 GPUs are more than the 4 of one node, and no 'fabric' says how "
        "nodes are joined\n"
        "    3 | gpus_per_node: 4\n"
        "      |                ^\n"
        "       help: ask for at most one node; several nodes need the key 'fabric', which is not "
        "read yet\n");
}

TEST_CASE("several GPUs need a link, one does not") {
  const std::string text = "system: box\naccelerator: card\ngpus_per_node: 4\n";
  CHECK_THAT(errors_of(text), ContainsSubstring("missing key 'link' in 'system'"));
  Diagnostics diagnostics;
  CHECK(read("system: box\naccelerator: card\ngpus_per_node: 1\n", diagnostics));
}

TEST_CASE("a link needs the library's ring") {
  CHECK_THAT(errors_of(changed("ring", "send")),
             ContainsSubstring("missing key 'ring' in 'link': the library's all-reduce") &&
                 ContainsSubstring("add 'ring: {latency: 3.4 us, efficiency: 0.5}'"));
}

TEST_CASE("kernels that read peers need peers") {
  const std::string text = std::string(kBox) + "  one_shot: {latency: 3 us, efficiency: 0.5}\n";
  CHECK_THAT(errors_of(text), ContainsSubstring("a.yaml:9:13: error: one-shot and two-shot kernels "
                                                "read peers and need 'peer_to_peer: true'"));
  Diagnostics diagnostics;
  std::string peers = text;
  peers.replace(peers.find("false"), 5, "true");
  CHECK(read(peers, diagnostics));
}

TEST_CASE("a kind of link that nobody knows names those that are known") {
  CHECK_THAT(errors_of(changed("pcie", "pcei")),
             ContainsSubstring("a.yaml:5:9: error:") && ContainsSubstring("did you mean 'pcie'?"));
}

TEST_CASE("a shared uplink needs its bandwidth") {
  CHECK_THAT(errors_of(std::string(kBox) + "topology: {gpus_per_uplink: 2}\n"),
             ContainsSubstring("missing key 'uplink_bandwidth' in 'topology'"));
}

TEST_CASE("a system names its accelerator before the rest is read") {
  Diagnostics diagnostics;
  CHECK(accelerator_of(test::tree_of("accelerator: card\nnonsense: 1\n"), diagnostics) == "card");
  CHECK(diagnostics.all().empty());
}

}  // namespace
}  // namespace fathom::hardware
