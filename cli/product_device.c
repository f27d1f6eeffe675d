/* SPDX-License-Identifier: BSD-3-Clause
 * Runs the products of ek spmv and ek spmm on a device. x and y are in the device's memory, so the
 * time is that of the product alone, until it is done. The bytes copied during a product are
 * printed too: 0, unless the processor computes part of it. Methods that divide a product between
 * the device and the processor get x and y in the host's memory, as without a device. */
#include "product_device.h"

/* Returns the description `v` of a vector or block, with its data at `data` in device memory. */
static ek_dense there(const ek_dense *v, void *data)
{
	ek_dense on = *v;

	on.data = data;
	on.where = EK_ON_DEVICE;
	return on;
}

static ek_device_counters counters(const ek_context *ctx)
{
	ek_device_counters c = {.size = sizeof c};

	ek_device_get_counters(ctx, &c);
	return c;
}

int64_t product_device_copied(ek_context *ctx)
{
	return counters(ctx).to_device;
}

int product_device_start(struct product_device *d, ek_context *ctx, const char *method,
                         int64_t before, const ek_dense *x, int64_t y_bytes)
{
	const int64_t x_bytes = (int64_t)block_bytes(x);
	int code;

	d->info.size = sizeof d->info;
	if (tool_method_on_both(method)) {
		code = tool_check(ek_context_get_device(ctx, &d->info));
		snprintf(d->both, sizeof d->both, "cpu+%s", d->info.name);
		return code;
	}
	if (!tool_method_on_device(method))
		return TOOL_OK;
	d->ctx = ctx;
	d->prepared = product_device_copied(ctx) - before;
	code = tool_check(ek_context_get_device(ctx, &d->info));
	if (!code)
		code = tool_check(ek_device_alloc(ctx, x_bytes ? x_bytes : 1, &d->x));
	if (!code)
		code = tool_check(ek_device_alloc(ctx, y_bytes ? y_bytes : 1, &d->y));
	if (!code && x_bytes)
		code = tool_check(ek_device_write(ctx, d->x, x->data, x_bytes));
	return code;
}

int product_device_run(struct product_device *d, product_fn *multiply, ek_plan *plan, double alpha,
                       const ek_dense *x, double beta, const ek_dense *y0, double *seconds)
{
	const ek_dense on_x = there(x, d->x), on_y = there(y0, d->y);
	const int64_t y_bytes = (int64_t)block_bytes(y0);
	ek_device_counters before, after;
	int code = TOOL_OK;
	double start;

	if (y_bytes)
		code = tool_check(ek_device_write(d->ctx, d->y, y0->data, y_bytes));
	before = counters(d->ctx);
	start = tool_seconds();
	if (!code)
		code = tool_check(multiply(plan, alpha, &on_x, beta, &on_y));
	if (!code)
		code = tool_check(ek_device_wait(d->ctx));
	*seconds = tool_seconds() - start;
	after = counters(d->ctx);
	d->to_device = after.to_device - before.to_device;
	d->from_device = after.from_device - before.from_device;
	d->launches = after.launches - before.launches;
	return code;
}

int product_device_finish(struct product_device *d, const ek_dense *y)
{
	if (!d->ctx || !block_bytes(y))
		return TOOL_OK;
	return tool_check(ek_device_read(d->ctx, d->y, y->data, (int64_t)block_bytes(y)));
}

void product_device_free(struct product_device *d)
{
	if (!d->ctx)
		return;
	ek_device_free(d->ctx, d->x);
	ek_device_free(d->ctx, d->y);
}

void product_device_print(const struct product_device *d, FILE *out)
{
	char prepared[32], to[32], from[32];

	if (*d->both)
		fprintf(out, "device    %s (%s), x and y lie in the host's memory\n", d->both,
		        d->info.text);
	if (!d->ctx)
		return;
	fprintf(out, "device    %s (%s), x and y lie there\n", d->info.name, d->info.text);
	fprintf(out,
	        "copied    %s to it for the plan; in a product %s there, %s back, %lld launch%s\n",
	        tool_bytes(prepared, (double)d->prepared), tool_bytes(to, (double)d->to_device),
	        tool_bytes(from, (double)d->from_device), (long long)d->launches,
	        d->launches == 1 ? "" : "es");
}

void product_device_json(const struct product_device *d, json_t *record)
{
	json_object_set_new(record, "device",
	                    json_string(*d->both ? d->both
	                                : d->ctx ? d->info.name
	                                         : "cpu"));
	if (!d->ctx)
		return;
	json_object_set_new(record, "device_name", json_string(d->info.text));
	json_object_set_new(record, "driver", json_string(d->info.driver));
	json_object_set_new(record, "prepare_to_device", json_integer(d->prepared));
	json_object_set_new(record, "to_device", json_integer(d->to_device));
	json_object_set_new(record, "from_device", json_integer(d->from_device));
	json_object_set_new(record, "launches", json_integer(d->launches));
}
