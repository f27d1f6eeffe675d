/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The step from A @ x, and from alpha A x + beta y, to ek_spmv, for vectors that need no
 * conversion, as a function that Python calls directly; so for blocks by rows, A @ X and X @ A, to
 * ek_spmm and ek_dense_spmm. Through ctypes a call takes about half a
 * microsecond, and in Python to look at the type, the shape, the strides and the address of x and
 * to fill in two views takes as long again.
 *
 * No header of Python or numpy is needed, so one file serves all of their versions. The functions
 * of Python below, and the signature METH_FASTCALL, belong to its stable ABI. An ndarray is a head,
 * as long as object.__basicsize__ says, whose last word is the type, and then the members below.
 * They are as in numpy 1.0, since macros that are compiled into every extension read them. The
 * package tries evenkeel_method before it uses it (evenkeel/_fast.py), and can do without.
 */
#include <evenkeel/ek.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

typedef struct object object; /* PyObject, of which nothing is known here */

extern void *PyCapsule_GetPointer(object *capsule, const char *name);
extern void *PyEval_SaveThread(void);
extern void PyEval_RestoreThread(void *thread);
extern void Py_IncRef(object *o);
extern double PyFloat_AsDouble(object *o);
extern object *PyErr_Occurred(void);
extern object *PyObject_CallFunction(object *function, const char *format, ...);
extern int PyType_IsSubtype(const void *type, const void *base);
extern char _Py_NoneStruct[], PyFloat_Type[], PyLong_Type[];

struct array {
	void *data;
	int nd;
	const intptr_t *dimensions, *strides;
	const void *base, *descr;
	int flags;
};

enum { C_CONTIGUOUS = 0x1, ALIGNED = 0x100, WRITEABLE = 0x400 }; /* NPY_ARRAY_... */

/* A plan and what its vectors or blocks look like; evenkeel/_fast.py has the same struct. */
struct product {
	ek_status (*run)(ek_plan *plan, double alpha, const ek_dense *x, double beta,
	                 const ek_dense *y);
	ek_plan *plan;
	int64_t x[2], y[2];   /* rows and columns of both; those of vectors have one column */
	size_t head;          /* bytes of the head of an object */
	const void *type;     /* ndarray */
	const void *descr;    /* type of the elements */
	object *raise_status; /* raises the exception for an ek_status */
	/* The limit of threads in force, which any thread may change, and that of the plan */
	const _Atomic int *limit_now;
	int limit;
	ek_value value;
	int nd; /* dimensions of the arrays: 1 for vectors, 2 for blocks */
};

static const void *type_of(const struct product *p, const object *o)
{
	const void *type;
	memcpy(&type, (const char *)o + p->head - sizeof type, sizeof type);
	return type;
}

/* Sets the view to an ndarray with these rows and columns and all these flags, which mean that it
 * is contiguous. Returns false if it is none. */
static bool view(const struct product *p, const object *o, const int64_t size[2], int flags,
                 ek_dense *to)
{
	if (type_of(p, o) != p->type)
		return false;
	const struct array *a = (const void *)((const char *)o + p->head);
	if (a->descr != p->descr || a->nd != p->nd || a->dimensions[0] != size[0] ||
	    (a->flags & flags) != flags)
		return false;
	if (p->nd == 1) {
		*to = ek_vector(p->value, size[0], a->data);
		return true;
	}
	if (a->dimensions[1] != size[1])
		return false;
	*to = ek_block(p->value, size[0], size[1], size[1], EK_ROW_MAJOR, a->data);
	return true;
}

/* Whether an object is a float or an int, or of a type derived from these, as numpy's float64. */
static bool is_factor(const struct product *p, const object *o)
{
	const void *type = type_of(p, o);
	return type == PyFloat_Type || PyType_IsSubtype(type, PyFloat_Type) ||
	       PyType_IsSubtype(type, PyLong_Type);
}

/* multiply(x, y, alpha, beta): writes alpha A x + beta y, or alpha x A + beta y, to y, which it
 * returns. Returns None where the general way has to be taken, which also finds out what is wrong
 * with arguments. A run that failed otherwise may have written parts of y, so it is not repeated:
 * raises the exception. `self` is a capsule with the product. The caller keeps x and y, so they
 * stay where they are while the GIL is released. */
static object *multiply(object *self, object *const *args, intptr_t count)
{
	const struct product *p = PyCapsule_GetPointer(self, NULL);
	object *result = (object *)(void *)_Py_NoneStruct;
	if (!p)
		return NULL;
	if (count == 4 && is_factor(p, args[2]) && is_factor(p, args[3]) &&
	    atomic_load_explicit(p->limit_now, memory_order_relaxed) == p->limit) {
		const double alpha = PyFloat_AsDouble(args[2]);
		if (alpha == -1 && PyErr_Occurred())
			return NULL; /* an int that is too large */
		const double beta = PyFloat_AsDouble(args[3]);
		if (beta == -1 && PyErr_Occurred())
			return NULL;
		const int plain = C_CONTIGUOUS | ALIGNED;
		ek_dense x, y;
		if (view(p, args[0], p->x, plain, &x) &&
		    view(p, args[1], p->y, plain | WRITEABLE, &y)) {
			void *thread = PyEval_SaveThread();
			const ek_status status = p->run(p->plan, alpha, &x, beta, &y);
			PyEval_RestoreThread(thread);
			if (status == EK_OK)
				result = args[1];
			else if (status != EK_EINVAL)
				return PyObject_CallFunction(p->raise_status, "i", (int)status);
		}
	}
	Py_IncRef(result);
	return result;
}

enum { METH_FASTCALL = 0x80 };

/* PyMethodDef. Functions point to theirs until they are gone, so it must not go with a module. */
struct method {
	const char *name;
	object *(*call)(object *self, object *const *args, intptr_t count);
	int flags;
	const char *doc;
};

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
extern struct method evenkeel_method;

struct method evenkeel_method = {"multiply", multiply, METH_FASTCALL, NULL};
