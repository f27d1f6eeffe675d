/* SPDX-License-Identifier: BSD-3-Clause
 * The texts of pages: style sheet and scripts, which the assembler takes from their files. */
#ifndef EK_BENCH_PAGE_TEXT_H
#define EK_BENCH_PAGE_TEXT_H

/* Defines the string `name`, whose text the assembler takes from a file in EK_PAGE_DIR. */
#define PAGE_TEXT(name, file)                                                             \
	__asm__(".pushsection .rodata\n.globl " #name "\n.hidden " #name "\n" #name ":\n" \
	        ".incbin \"" EK_PAGE_DIR "/" file "\"\n.byte 0\n.popsection\n");          \
	extern const char name[]

/* What all pages share (html.c): the style sheet, functions that draw, keys of charts, the
 * sorting of tables. */
extern const char page_style[], chart_script[], key_script[], sort_script[];

#endif
