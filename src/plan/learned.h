/* SPDX-License-Identifier: BSD-3-Clause
 * The choice by rules that were learned from measured matrices (learned.c), and the features that
 * these ask for (learn_features.c). Part of plan/plan.h. */
#ifndef EK_PLAN_LEARNED_H
#define EK_PLAN_LEARNED_H

enum {
	EKI_LEARN_none,
#define FEATURE(name, text) EKI_LEARN_##name,
#include "plan/learn_features.def"
#undef FEATURE
	EKI_LEARN_FEATURES
};

/* Finds the features of a matrix in CSR; element 0 is not used. */
ek_status eki_learn_features(const ek_context *ctx, const ek_store *csr, int64_t calls, int threads,
                             double feature[EKI_LEARN_FEATURES]);
/* Tells whether hints ask for the choice by learned rules. */
bool eki_learned_wanted(const ek_hints *hints);
/* Makes a plan with the method of the rule that fits, or with trials if no rule is sure. */
ek_status eki_learned_make(const eki_operation *operation, const ek_matrix *A,
                           const ek_hints *hints, ek_plan **plan);

#endif
