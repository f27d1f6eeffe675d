/* SPDX-License-Identifier: BSD-3-Clause
 * ek spmv on a device: where the vectors lie, and what is copied. */
#ifndef EK_SPMV_DEVICE_H
#define EK_SPMV_DEVICE_H

#include "ek.h"

struct spmv_device {
	ek_context *ctx; /* NULL: the method runs on the processor, and nothing here is used */
	ek_device_info info;
	void *x, *y;
	int64_t prepared;                         /* bytes copied to the device for the plan */
	int64_t to_device, from_device, launches; /* of the last product */
};

/* Bytes that were copied to the context's device so far; 0 without one. */
int64_t spmv_device_copied(ek_context *ctx);
/* Takes part if `method` runs on the context's device: copies x there. `before`: what
 * spmv_device_copied gave before the plan was made. An exit code. */
int spmv_device_start(struct spmv_device *d, ek_context *ctx, const char *method, int64_t before,
                      const ek_dense *x, int64_t y_bytes);
/* y = alpha op(A) x + beta y0 on the device, and the seconds until it is done. */
int spmv_device_run(struct spmv_device *d, ek_plan *plan, double alpha, const ek_dense *x,
                    double beta, const ek_dense *y0, double *seconds);
/* The result to y. */
int spmv_device_finish(struct spmv_device *d, const ek_dense *y);
void spmv_device_free(struct spmv_device *d);

void spmv_device_print(const struct spmv_device *d, FILE *out);
void spmv_device_json(const struct spmv_device *d, json_t *record);

#endif
