/* SPDX-License-Identifier: BSD-3-Clause
 * Runs the products of ek spmv and ek spmm on a device, with x and y in its memory, and counts what
 * is copied. */
#ifndef EK_PRODUCT_DEVICE_H
#define EK_PRODUCT_DEVICE_H

#include "product.h"

struct product_device {
	/* NULL if x and y are on the host; then the other members but `both` are unused */
	ek_context *ctx;
	/* "cpu+" and the device's name if the method divides products between it and the
	 * processor, else "". */
	char both[40];
	ek_device_info info;
	void *x, *y;
	int64_t prepared; /* bytes copied to the device for the plan */
	/* Bytes copied to and from the device, and kernel launches, in the last product */
	int64_t to_device, from_device, launches;
};

/* Returns the bytes copied to the context's device so far, or 0 if it has no device. */
int64_t product_device_copied(ek_context *ctx);
/* Copies x to the context's device and allocates y there if `method` runs on the device alone; else
 * only notes whether it uses the device. `before` is what product_device_copied returned before the
 * plan was made. Returns an exit code. */
int product_device_start(struct product_device *d, ek_context *ctx, const char *method,
                         int64_t before, const ek_dense *x, int64_t y_bytes);
/* Computes y = alpha op(A) x + beta y0 on the device by `multiply`, and measures the seconds until
 * the product is done. Returns an exit code. */
int product_device_run(struct product_device *d, product_fn *multiply, ek_plan *plan, double alpha,
                       const ek_dense *x, double beta, const ek_dense *y0, double *seconds);
/* Copies the result from the device to y. Returns an exit code. */
int product_device_finish(struct product_device *d, const ek_dense *y);
void product_device_free(struct product_device *d);

void product_device_print(const struct product_device *d, FILE *out);
void product_device_json(const struct product_device *d, json_t *record);

#endif
