#include "cli/report/glossary.h"

#include <array>

namespace fathom::cli {
namespace {

// clang-format off
constexpr std::array kGlossary{
    // What users feel
    GlossaryEntry{"TTFT", "time to first token", "Seconds from the arrival of a request to its first output token: waiting plus prefill."},
    GlossaryEntry{"TPOT", "time per output token", "(E2E - TTFT) / (OSL - 1): mean seconds per output token after the first. In the phase decode it is the step time per emitted token."},
    GlossaryEntry{"ITL", "inter-token latency", "The gaps between the tokens of a stream, as a distribution. Its mean is TPOT unless tokens come several at a time (speculation)."},
    GlossaryEntry{"E2E", "end to end", "Seconds from the arrival of a request to its last output token."},
    GlossaryEntry{"goodput", "", "Requests per second that meet all their targets (SLO). It needs a simulation, which is not built yet."},
    GlossaryEntry{"holds", "hold", "The most sequences of the asked lengths that a layout has room for at once; beyond it requests wait."},
    GlossaryEntry{"SLO", "target;slo-ttft;slo-tpot", "A target: --slo-ttft '2 s', --slo-tpot '50 ms'. A plan prefers layouts that meet both; exit status 1 when none does."},
    GlossaryEntry{"throughput", "output tok s;total tok s", "Tokens per second of the whole deployment: output_tok_s counts output tokens, total_tok_s input tokens too."},
    // Workload
    GlossaryEntry{"ISL", "input length", "Mean input (prompt) tokens of a request."},
    GlossaryEntry{"OSL", "output length", "Mean output tokens of a request."},
    GlossaryEntry{"batch", "", "Sequences of the whole deployment in one step. A data-parallel rank holds ceil(batch / (dp x replicas)) of them, a pipeline micro-batch ceil(that / pp)."},
    GlossaryEntry{"concurrency", "", "Requests that are always in flight, of the whole deployment: a closed loop."},
    GlossaryEntry{"context", "", "Tokens that each sequence already has in the KV cache when a step begins; required in the phase decode, 0 in prefill."},
    GlossaryEntry{"new tokens", "new_tokens", "Tokens per sequence in one step: 1 + spec_tokens in decode, the input length in prefill."},
    GlossaryEntry{"prefill", "", "The phase that reads the input: many tokens per sequence in a step, mostly limited by tensor compute or links."},
    GlossaryEntry{"decode", "", "The phase that emits output tokens, one per sequence and step (more with speculation): mostly limited by memory bandwidth or link latency."},
    GlossaryEntry{"serve", "steady state", "The phase of a closed loop in which prefill and decode share the GPUs: TTFT, TPOT and throughput of a closed form on mean lengths."},
    GlossaryEntry{"spec tokens", "spec_tokens;speculation;spec_acceptance;acceptance", "Drafted tokens per step. spec_acceptance r = accepted / drafted; a step of k drafts emits 1 + k x r tokens, verifies k + 1 and pays for the draft."},
    // Layouts
    GlossaryEntry{"layout", "", "How ranks divide a model, written whole: attention=tp8,experts=ep8,pp=1. A factor of 1 is left out. Short forms: tp8, ep8, dp8ep8, tp4pp2."},
    GlossaryEntry{"TP", "tensor parallel;tensor parallelism", "Tensor parallelism: every rank holds a slice of each weight matrix, and an all-reduce follows attention and FFN of each layer."},
    GlossaryEntry{"EP", "expert parallel;expert parallelism", "Expert parallelism: every rank holds whole experts. The step waits for the rank whose experts drew the most tokens. Where attention is TP, an all-reduce ends the layer as under TP."},
    GlossaryEntry{"DP", "data parallel;data parallelism", "Data parallelism of attention: every rank has its own sequences and cache and all attention weights; experts are still shared, by exchange of tokens."},
    GlossaryEntry{"PP", "pipeline parallel;pipeline parallelism", "Pipeline parallelism: every stage holds some of the layers. It adds capacity and throughput; a token still passes through all stages."},
    GlossaryEntry{"DCP", "context parallel", "Decode context parallelism: the KV cache of one TP group is divided by token over dcp of its ranks; adds no GPUs."},
    GlossaryEntry{"replicas", "", "Whole copies of the model beside each other; requests are divided among them."},
    GlossaryEntry{"rank", "", "One GPU's place in a layout, with its shard of weights and cache."},
    GlossaryEntry{"node", "", "The machine whose GPUs share one link (NVLink or PCIe). 8x-h200-sxm is one node of 8."},
    // Resources
    GlossaryEntry{"limiting resource", "limiter;limited by;bottleneck", "The resource whose improvement helps most, that is with the largest elasticity: tensor compute, memory bandwidth, link bandwidth, link latency, launch, host, power, clock, memory capacity, imbalance or pipeline bubble. Both are named where the intervals overlap."},
    GlossaryEntry{"tensor compute", "compute", "Time of the step in which the arithmetic of matrix products is the longer term: FLOP / (dense peak x the share that kernels reach)."},
    GlossaryEntry{"memory bandwidth", "memory", "Time of the step in which reading weights, KV cache and activations from GPU memory is the longer term: bytes / (bandwidth x the share that kernels reach)."},
    GlossaryEntry{"link bandwidth", "", "Time of messages that goes with their size: bytes on the link / (rate x the share that transfers reach)."},
    GlossaryEntry{"link latency", "", "Time of messages that does not go with their size: hops x latency. It leads when many small all-reduces follow each other, as in decode at small batches, and grows with the ranks of a ring. Faster links do not shorten it; fewer ranks, peer-to-peer or one-shot kernels do."},
    GlossaryEntry{"launch", "", "Fixed time of kernels on the device (ramp and gap inside a graph) and, without CUDA graphs, the host's time to launch them where it is longer than the device's."},
    GlossaryEntry{"host", "", "The engine's own time per step (scheduler, sampling, copies) as far as the device waits for it."},
    GlossaryEntry{"power", "", "Tensor compute leads, and the power limit holds the clock down."},
    GlossaryEntry{"power limit", "power_limit_w", "The most watts that a GPU may draw, at most its TDP unless the accelerator says otherwise: --power-limit '450 W', or the column power_limit_w. A lower one lowers the clock where tensor compute leads."},
    GlossaryEntry{"clock", "", "The clock of the device: tensor compute goes with it, memory does not."},
    GlossaryEntry{"memory capacity", "capacity", "Room for weights, activations and KV cache: it bounds how many sequences run at once."},
    GlossaryEntry{"imbalance", "", "The time by which the fullest expert-parallel rank exceeds the mean rank."},
    GlossaryEntry{"pipeline bubble", "bubble", "The time in which a pipeline stage waits because too few micro-batches are in flight."},
    GlossaryEntry{"elasticity", "elasticities", "d ln throughput / d ln goodness of a resource: 0.6 for memory bandwidth means that 10 % more of it gives about 6 % more throughput. Taken from 10 % steps; imbalance and bubble from setting them to zero."},
    GlossaryEntry{"next limiter", "", "The resource that leads once the limiting one is better by the factor printed beside it."},
    GlossaryEntry{"share", "", "Part of the step time that a resource takes on the critical path; the shares of a step sum to 100 %."},
    // Evidence
    GlossaryEntry{"evidence", "", "What a prediction stands on: bound (datasheet only) or default (efficiencies per architecture, with source, not fitted to your machine). Chosen by --evidence."},
    GlossaryEntry{"bound", "", "Evidence from datasheets alone: peaks and bandwidths fully reached, no latency, launch or host time. No machine is faster."},
    GlossaryEntry{"default", "", "Evidence from the efficiencies in configs/kernels, measured on cards of the architecture where anybody has; each term is known within the factor printed under assumes."},
    GlossaryEntry{"MFU", "model FLOP utilisation", "Necessary FLOP / time / dense peak of the format used."},
    GlossaryEntry{"MBU", "model bandwidth utilisation", "Necessary bytes / time / peak memory bandwidth."},
    GlossaryEntry{"arithmetic intensity", "intensity", "FLOP per byte read from memory."},
    GlossaryEntry{"ridge point", "ridge", "Dense peak / memory bandwidth: below that arithmetic intensity memory is the longer term."},
    // Messages
    GlossaryEntry{"algbw", "", "Bytes of the tensor / time of the collective, as NCCL tests define it."},
    GlossaryEntry{"busbw", "bus bandwidth", "algbw x 2(n-1)/n for an all-reduce, x (n-1)/n for gathers and all-to-all: comparable with the link's rate whatever the number of ranks n."},
    GlossaryEntry{"payload", "", "The bytes of a message before the protocol; wire bytes are those after it."},
    GlossaryEntry{"all-reduce", "allreduce", "Sum of one tensor over all ranks, the result on each. As a ring 2(n-1) hops and 2(n-1)/n of its bytes per rank."},
    GlossaryEntry{"ring", "", "Collective in which each rank sends to its neighbour: least bytes, most hops."},
    GlossaryEntry{"one-shot", "oneshot", "All-reduce in one kernel in which every rank reads all others: least latency, (n-1) times the bytes; needs peer-to-peer."},
    GlossaryEntry{"two-shot", "twoshot", "Reduce-scatter then all-gather in one kernel: two phases, as few bytes as a ring; needs peer-to-peer."},
    GlossaryEntry{"in-switch", "NVLS;multimem", "Reduction inside the NVLink switch."},
    GlossaryEntry{"NVLink", "", "NVIDIA's link between the GPUs of a node: hundreds of GB/s per direction and GPU, peer-to-peer, often with a switch that reduces."},
    GlossaryEntry{"PCIe", "PCI Express", "The link to the host and, without NVLink, between GPUs: 16 lanes carry 32 GB/s (generation 4) or 63 GB/s (generation 5) per direction."},
    GlossaryEntry{"peer-to-peer", "p2p", "GPUs read each other's memory directly. Without it messages are staged through host memory, and one-shot kernels are not offered."},
    // Models and formats
    GlossaryEntry{"MoE", "mixture of experts;experts", "Mixture of experts: a router picks top-k experts per token; the weights read grow with the number of distinct experts in a batch."},
    GlossaryEntry{"MLA", "latent attention", "Multi-head latent attention: one latent row per token instead of keys and values per head. Every tensor-parallel rank holds all of it."},
    GlossaryEntry{"GQA", "grouped attention;MHA;MQA", "Grouped-query attention: several query heads share one KV head. KV heads are replicated where TP exceeds them."},
    GlossaryEntry{"DSA", "sparse attention;indexer", "Sparse attention of DeepSeek V3.2 and GLM-5: an indexer scans the context (132 bytes a token and layer) and picks top-k tokens to attend."},
    GlossaryEntry{"MTP", "multi-token prediction", "Multi-token prediction: extra layers that draft tokens. Their weights and cache count only when spec_tokens is above 0."},
    GlossaryEntry{"KV cache", "kv;kv_format", "Keys and values (or latents) of the tokens so far, held in GPU memory; --kv-format bf16, fp16 or fp8."},
    GlossaryEntry{"BF16", "FP16", "16-bit floating point, 2 bytes an element."},
    GlossaryEntry{"FP8", "fp8-block", "8-bit floating point; fp8-block has one FP32 scale for each 128 x 128 block, which a layout must not cut."},
    GlossaryEntry{"NVFP4", "FP4", "4-bit floating point with one FP8 scale per 16 elements: 4.5 bits an element. What a checkpoint leaves in 16 bits is listed by fathom show MODEL."},
    GlossaryEntry{"MXFP4", "", "4-bit floating point with one 8-bit scale per 32 elements: 4.25 bits an element."},
    GlossaryEntry{"INT4", "AWQ;GPTQ", "4-bit integers with a scale per 32 or 128 elements; weights only, the arithmetic is 16-bit."},
    GlossaryEntry{"CUDA graphs", "cuda_graphs;graphs", "A recorded step that is launched whole. Off, the host launches every kernel, which often limits decode."},
    GlossaryEntry{"memory fraction", "memory_fraction", "The share of the usable memory that an engine takes (vLLM's gpu-memory-utilization and the like)."},
    GlossaryEntry{"cases", "case file", "A CSV file for predict and fit, one row a case: --cases FILE.csv. Columns in, by name and in any order: id, model, system, gpus, layout, engine, engine_version, weight_format, kv_format, phase, batch, context, new_tokens, isl, osl, isl_spread, osl_spread, concurrency, rate, requests, spec_tokens, spec_acceptance, cuda_graphs, memory_fraction, max_model_len, max_num_seqs, max_batched_tokens, power_limit_w; an unknown column is an error. Numbers are bare. Flags and MODEL SYSTEM fill blank cells. Out: a row a case in the same order, the cells as given, what flags gave, then the answer's columns (those of --format csv); a refused case has its reason in the last one, error. Exit status 0 when every row was answered or refused with a reason, 3 for a bad header."},
    GlossaryEntry{"FATHOM_PATH", "config path;library", "Environment: folders with models/, accelerators/, systems/, kernels/ and engines/, separated by ':', that are searched after --config-path and before the library that came with the program."},
    GlossaryEntry{"GB", "GiB;KiB;MiB;units", "GB = 1e9 bytes, GiB = 2^30 bytes. Rates are printed in GB/s, memory in GiB, messages in KiB and MiB; files hold bytes."},
};
// clang-format on

/// Lower case without blanks, '-' and '_'.
std::string folded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '-' && c != '_') {
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return out;
}

bool names(const GlossaryEntry& entry, const std::string& wanted) {
  if (folded(entry.term) == wanted) {
    return true;
  }
  std::string_view rest = entry.also;
  while (!rest.empty()) {
    const auto end = rest.find(';');
    if (folded(rest.substr(0, end)) == wanted) {
      return true;
    }
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return false;
}

}  // namespace

const GlossaryEntry* find_term(std::string_view term) {
  const std::string wanted = folded(term);
  for (const GlossaryEntry& entry : kGlossary) {
    if (names(entry, wanted)) {
      return &entry;
    }
  }
  return nullptr;
}

std::vector<std::string> glossary_terms() {
  std::vector<std::string> out;
  out.reserve(kGlossary.size());
  for (const GlossaryEntry& entry : kGlossary) {
    out.emplace_back(entry.term);
  }
  return out;
}

}  // namespace fathom::cli
