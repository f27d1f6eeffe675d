/* SPDX-License-Identifier: BSD-3-Clause
 * Generators of matrices of regular meshes with nx * ny * nz points, numbered with x fastest.
 * Stencils have one unknown per point. Matrices like those of finite elements have several unknowns
 * per point, and all rows of a point have the same columns. A star couples a point with its
 * neighbours along the axes. A box couples a point with all points that touch it. */
#include "gen/gen.h"

enum { NX, NY, NZ, DOF, BOX }; /* indices into g->dim */

struct place {
	int64_t x, y, z;
};

static struct place place_of(const eki_gen *g, int64_t point)
{
	int64_t line = point / g->dim[NX];

	return (struct place){point % g->dim[NX], line % g->dim[NY], line / g->dim[NY]};
}

/* Returns the number of points that are at most one step away from point x on an axis of n points,
 * including x itself. */
static int64_t reach(int64_t x, int64_t n)
{
	return 1 + (x > 0) + (x < n - 1);
}

static int64_t mesh_count(const eki_gen *g, int64_t i)
{
	struct place p = place_of(g, i / g->dim[DOF]);
	int64_t x = reach(p.x, g->dim[NX]), y = reach(p.y, g->dim[NY]), z = reach(p.z, g->dim[NZ]);

	return (g->dim[BOX] ? x * y * z : x + y + z - 2) * g->dim[DOF];
}

static void mesh_fill(const eki_gen *g, int64_t i, int64_t n, int64_t *col)
{
	int64_t nx = g->dim[NX], ny = g->dim[NY], nz = g->dim[NZ], dof = g->dim[DOF];
	struct place p = place_of(g, i / dof);
	int64_t k = 0;

	for (int64_t z = p.z > 0 ? p.z - 1 : 0; z <= p.z + 1 && z < nz; z++)
		for (int64_t y = p.y > 0 ? p.y - 1 : 0; y <= p.y + 1 && y < ny; y++)
			for (int64_t x = p.x > 0 ? p.x - 1 : 0; x <= p.x + 1 && x < nx; x++) {
				if (!g->dim[BOX] && (x != p.x) + (y != p.y) + (z != p.z) > 1)
					continue;
				for (int64_t d = 0; d < dof && k < n; d++)
					col[k++] = ((z * ny + y) * nx + x) * dof + d;
			}
}

static ek_status mesh_setup(eki_gen *g, int64_t nz, int64_t dof, bool box)
{
	double points = g->param[NX] * g->param[NY] * (double)nz * (double)dof;

	if (points > 0x1p52)
		return eki_fail(EK_EOVERFLOW, "%s: %g rows; 2^52 are possible", g->generator->name,
		                points);
	g->dim[NX] = (int64_t)g->param[NX];
	g->dim[NY] = (int64_t)g->param[NY];
	g->dim[NZ] = nz;
	g->dim[DOF] = dof;
	g->dim[BOX] = box;
	g->rows = g->cols = (int64_t)points;
	return EK_OK;
}

static ek_status flat_star(eki_gen *g)
{
	return mesh_setup(g, 1, 1, false);
}

static ek_status flat_box(eki_gen *g)
{
	return mesh_setup(g, 1, 1, true);
}

static ek_status solid_star(eki_gen *g)
{
	return mesh_setup(g, (int64_t)g->param[NZ], 1, false);
}

static ek_status solid_box(eki_gen *g)
{
	return mesh_setup(g, (int64_t)g->param[NZ], 1, true);
}

static ek_status bricks(eki_gen *g)
{
	return mesh_setup(g, (int64_t)g->param[NZ], (int64_t)g->param[DOF], true);
}

#define EDGE(name)                  \
	{                           \
		name, 1, 1e9, false \
	}

const ek_generator eki_gen_poisson2d5 = {
	.name = "poisson2d5",
	.text = "Poisson equation on a grid, 5-point stencil: 4 and -1",
	.example = "poisson2d5:nx=1000,ny=1000,seed=1,values=stencil",
	.diagonal = 4,
	.limit = {EDGE("nx"), EDGE("ny")},
	.setup = flat_star,
	.count = mesh_count,
	.fill = mesh_fill,
};

const ek_generator eki_gen_poisson2d9 = {
	.name = "poisson2d9",
	.text = "Poisson equation on a grid, 9-point stencil: 8 and -1",
	.example = "poisson2d9:nx=1000,ny=1000,seed=1,values=stencil",
	.diagonal = 8,
	.limit = {EDGE("nx"), EDGE("ny")},
	.setup = flat_box,
	.count = mesh_count,
	.fill = mesh_fill,
};

const ek_generator eki_gen_poisson3d7 = {
	.name = "poisson3d7",
	.text = "Poisson equation on a box, 7-point stencil: 6 and -1",
	.example = "poisson3d7:nx=100,ny=100,nz=100,seed=1,values=stencil",
	.diagonal = 6,
	.limit = {EDGE("nx"), EDGE("ny"), EDGE("nz")},
	.setup = solid_star,
	.count = mesh_count,
	.fill = mesh_fill,
};

const ek_generator eki_gen_poisson3d27 = {
	.name = "poisson3d27",
	.text = "Poisson equation on a box, 27-point stencil: 26 and -1",
	.example = "poisson3d27:nx=60,ny=60,nz=60,seed=1,values=stencil",
	.diagonal = 26,
	.limit = {EDGE("nx"), EDGE("ny"), EDGE("nz")},
	.setup = solid_box,
	.count = mesh_count,
	.fill = mesh_fill,
};

const ek_generator eki_gen_fem = {
	.name = "fem",
	.text = "finite elements: nx*ny*nz nodes of a mesh of bricks, dof unknowns at each",
	.example = "fem:nx=9,ny=9,nz=257,dof=3,seed=1,values=real",
	.limit = {EDGE("nx"), EDGE("ny"), EDGE("nz"), {"dof", 1, 1000, false}},
	.setup = bricks,
	.count = mesh_count,
	.fill = mesh_fill,
};
