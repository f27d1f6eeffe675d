/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The step from A @ x to ek_spmv, for a vector that needs no conversion, as a function that Python
 * calls directly. Through ctypes a call takes about half a microsecond, and in Python to look at
 * the type, the shape, the strides and the address of x and to fill in two views takes as long
 * again.
 *
 * No header of Python or numpy is needed, so one file serves all of their versions. The functions
 * of Python below, and the signature METH_FASTCALL, belong to its stable ABI. An ndarray is a head,
 * as long as object.__basicsize__ says, whose last word is the type, and then the members below.
 * They are as in numpy 1.0, since macros that are compiled into every extension read them. The
 * package tries evenkeel_multiply before it uses it (evenkeel/_fast.py), and can do without.
 */
#include <evenkeel/ek.h>

#include <stdatomic.h>
#include <string.h>

typedef struct object object; /* PyObject, of which nothing is known here */

extern void *PyCapsule_GetPointer(object *capsule, const char *name);
extern void *PyEval_SaveThread(void);
extern void PyEval_RestoreThread(void *thread);
extern void Py_IncRef(object *o);
extern char _Py_NoneStruct[];

struct array {
	void *data;
	int nd;
	const intptr_t *dimensions, *strides;
	const void *base, *descr;
	int flags;
};

enum { C_CONTIGUOUS = 0x1, ALIGNED = 0x100, WRITEABLE = 0x400 }; /* NPY_ARRAY_... */

/* A plan and what its vectors look like; evenkeel/_fast.py has the same struct. */
struct product {
	ek_status (*spmv)(ek_plan *plan, double alpha, const ek_dense *x, double beta,
	                  const ek_dense *y);
	ek_plan *plan;
	int64_t rows, cols;
	size_t head;          /* bytes of the head of an object */
	const void *type;     /* ndarray */
	const void *descr;    /* type of the elements */
	/* The limit of threads in force, which any thread may change, and that of the plan */
	const _Atomic int *limit_now;
	int limit;
	ek_value value;
};

/* The members of an ndarray of one dimension with n elements and all these flags, or NULL. */
static const struct array *vector(const struct product *p, const object *o, int64_t n, int flags)
{
	const char *at = (const char *)o + p->head;
	const void *type;
	memcpy(&type, at - sizeof type, sizeof type);
	if (type != p->type)
		return NULL;
	const struct array *a = (const void *)at;
	if (a->descr != p->descr || a->nd != 1 || a->dimensions[0] != n ||
	    (a->flags & flags) != flags)
		return NULL;
	return a;
}

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
object *
evenkeel_multiply(object *self, object *const *args, intptr_t count);

/* multiply(x, y): writes A x to y and returns y. Returns None where the general way
 * has to be taken, which also finds out what went wrong. `self` is a capsule with the product. The
 * caller keeps x and y, so they stay where they are while the GIL is released. */
object *evenkeel_multiply(object *self, object *const *args, intptr_t count)
{
	const struct product *p = PyCapsule_GetPointer(self, NULL);
	object *result = (object *)(void *)_Py_NoneStruct;
	if (!p)
		return NULL;
	if (count == 2 && atomic_load_explicit(p->limit_now, memory_order_relaxed) == p->limit) {
		const int plain = C_CONTIGUOUS | ALIGNED;
		const struct array *x = vector(p, args[0], p->cols, plain);
		const struct array *y = vector(p, args[1], p->rows, plain | WRITEABLE);
		if (x && y) {
			ek_dense from = ek_vector(p->value, p->cols, x->data);
			ek_dense to = ek_vector(p->value, p->rows, y->data);
			void *thread = PyEval_SaveThread();
			if (p->spmv(p->plan, 1, &from, 0, &to) == EK_OK)
				result = args[1];
			PyEval_RestoreThread(thread);
		}
	}
	Py_IncRef(result);
	return result;
}
