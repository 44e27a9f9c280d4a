#pragma once

#include "model/llm/tensors.h"

namespace fathom::model {

/// Collects the tensors of one layer; group, split and format follow from the role.
class TensorList {
 public:
  TensorList(const Formats& formats, Count hidden) : formats_(&formats), hidden_(hidden) {}

  void add(Role role, Count rows, Count columns, Count count = 1) {
    add_split(role, role_facts(role).split, {rows, columns, count});
  }
  /// The same for a tensor that this kind of block does not divide.
  void add_whole(Role role, Count rows, Count columns) {
    add_split(role, Split::Replicated, {rows, columns, 1});
  }
  [[nodiscard]] Count hidden() const { return hidden_; }
  [[nodiscard]] std::vector<Tensor> take() { return std::move(items_); }

 private:
  struct Shape {
    Count rows = 1;
    Count columns = 1;
    Count count = 1;
  };
  void add_split(Role role, Split split, Shape shape) {
    items_.push_back({role, role_facts(role).group, format_of(*formats_, role), split, shape.rows,
                      shape.columns, shape.count});
  }

  const Formats* formats_;
  Count hidden_;
  std::vector<Tensor> items_;
};

// One function for each kind of block; model/llm/tensors.cpp calls the one that a layer has.
void add_tensors(const GroupedAttention& attention, TensorList& out);
void add_tensors(const LatentAttention& attention, TensorList& out);
void add_tensors(const CompressedAttention& attention, TensorList& out);
void add_tensors(const Mamba1& mixer, TensorList& out);
void add_tensors(const Mamba2& mixer, TensorList& out);
void add_tensors(const DeltaNet& mixer, TensorList& out);
void add_tensors(const KeyedDelta& mixer, TensorList& out);
void add_tensors(const LightningAttention& mixer, TensorList& out);
void add_tensors(const NoAttention& none, TensorList& out);
void add_tensors(const DenseMlp& f, TensorList& out);
void add_tensors(const MoeMlp& f, TensorList& out);
void add_tensors(const NoMlp& none, TensorList& out);

}  // namespace fathom::model
