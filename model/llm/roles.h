#pragma once

#include "hardware/base/numeric_format.h"
#include "hardware/base/quantity.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fathom::model {

using hardware::Count;
using hardware::Format;

/// Groups of weights that a checkpoint quantises together and a report shows together.
enum class Group : std::uint8_t {
  Embedding,
  Attention,
  Indexer,
  Router,
  RoutedExperts,
  SharedExperts,
  DenseFfn,
  Norm,
  LmHead,
  Mtp,
  Recurrent,
  Compressor,
  PerLayer,
  Hyper,
};
inline constexpr int kGroupCount = 14;

/// The name in specs and reports: embedding, routed_experts ...
std::string_view group_name(Group group);

/// What a weight matrix does; one layer has each at most once.
enum class Role : std::uint8_t {
  // outside the layers
  Embedding,
  PerLayerEmbedding,
  PerLayerProjection,
  LmHead,
  LmHeadBias,
  FinalNorm,
  HyperHead,
  // any layer
  Norms,
  LayerScalar,
  PerLayerGate,
  PerLayerUp,
  HyperMix,
  HyperBias,
  // grouped, latent and compressed attention
  QkNorms,
  Query,
  Key,
  Value,
  QkvBias,
  Output,
  OutputBias,
  QueryDown,
  QueryUp,
  LatentDown,
  LatentUp,
  LatentNorms,
  AttentionGate,
  Sinks,
  OutputDown,
  // indexer
  IndexQuery,
  IndexKey,
  IndexKeyNorm,
  IndexWeights,
  IndexGate,
  IndexBias,
  // compressor of the cache
  CompressorKv,
  CompressorGate,
  CompressorBias,
  CompressorNorm,
  // recurrent mixers
  StateIn,
  StateGroups,
  StateSmall,
  StateX,
  StateDt,
  DecayDown,
  DecayUp,
  GateDown,
  GateUp,
  Conv,
  ConvGroups,
  StateVectors,
  StateNorm,
  StateOut,
  // FFN (up holds the gate too)
  DenseUp,
  DenseDown,
  DenseBias,
  Router,
  RouterBias,
  RouterLinearBias,
  RouterScale,
  ExpertUp,
  ExpertDown,
  ExpertBias,
  SharedUp,
  SharedDown,
  SharedGate,
  ExpertsIn,
  ExpertsOut,
  ExpertsNorm,
  HashTable,
  // MTP
  MtpProjection,
  MtpNorms,
};
inline constexpr int kRoleCount = 71;

/// How a layout divides a tensor over the ranks of its group (docs/physics.md section 1).
enum class Split : std::uint8_t {
  Replicated,
  Heads,          ///< rows (output features) over attention TP
  KvHeads,        ///< rows over attention TP, replicated once TP exceeds the KV heads
  HeadInputs,     ///< columns (input features) over attention TP
  Vocabulary,     ///< rows over attention TP, padded
  FfnRows,        ///< rows over attention TP
  FfnColumns,     ///< columns over attention TP
  ExpertRows,     ///< whole experts over EP, rows over the experts' TP
  ExpertColumns,  ///< whole experts over EP, columns over the experts' TP
  Experts,        ///< whole experts over EP
};

/// Where a role's storage format comes from when a spec does not name the role itself.
enum class FormatSource : std::uint8_t {
  Linear,  ///< the format of its group
  Small,   ///< vectors and gates: the format of the norms
  Single,  ///< FP32
  Index,   ///< 64-bit integers: bytes, but no parameters
};

/// What is the same for a role in every model.
struct RoleFacts {
  Role role = Role::Norms;
  std::string_view name;  ///< as a key of `formats`: query_up, expert_down ...
  Group group = Group::Norm;
  Split split = Split::Replicated;
  FormatSource source = FormatSource::Linear;
};

const RoleFacts& role_facts(Role role);
inline std::string_view role_name(Role role) { return role_facts(role).name; }
std::optional<Role> role_from_name(std::string_view name);

/// The storage format of each role.
using Formats = std::array<Format, kRoleCount>;

inline Format format_of(const Formats& formats, Role role) {
  return formats[static_cast<std::size_t>(role)];
}
inline void set_format(Formats& formats, Role role, Format format) {
  formats[static_cast<std::size_t>(role)] = format;
}

/// Gives each linear role of a group one format.
void set_group_format(Formats& formats, Group group, Format format);

/// Gives the vectors one format (the norms' own), singles FP32 and tables Int64.
void set_small_formats(Formats& formats, Format format);

}  // namespace fathom::model
