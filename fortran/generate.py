#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the Fortran module `evenkeel` to standard output: constants, types and interfaces from the
header include/evenkeel/ek.h, followed by the functions in fortran/functions.f90, which are written
by hand. A declaration that it does not understand is an error.

    fortran/generate.py >fortran/evenkeel.f90     (fortran/generate.py --check compares)
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
SCALARS = {
    'int': 'integer(c_int)', 'unsigned': 'integer(c_int)', 'int64_t': 'integer(c_int64_t)',
    'uint64_t': 'integer(c_int64_t)', 'uint8_t': 'integer(c_int8_t)', 'size_t': 'integer(c_size_t)',
    'double': 'real(c_double)', 'char': 'character(kind=c_char)',
}
DEFAULTS = {'integer': '0', 'real': '0', 'character': 'c_null_char', 'c_ptr': 'c_null_ptr',
            'c_funptr': 'c_null_funptr'}
# Pointers that may be null: arguments, and the functions in which they may be left out.
OPTIONAL = {
    r'options|hints|after': r'.*', r'most|exact': r'ek_spmspv_size', r'kth|smallest': r'ek_kselect',
    r'form': r'ek_matrix_write', r'values?': r'ek_heap_\w+',
    r'key': r'ek_heap_(node|delete_max)',
}


def optional(function, argument):
    return ', optional' if any(re.fullmatch(a, argument) and re.fullmatch(f, function)
                               for a, f in OPTIONAL.items()) else ''


def read_header():
    text = (HERE.parent / 'include/evenkeel/ek.h').read_text()
    text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
    text = re.sub(r'static inline .*?\n\}', '', text, flags=re.S)
    text = re.sub(r'^\s*#.*(\\\n.*)*$', '', text, flags=re.M)
    return re.sub(r'EK_NOT_READ\(\d\)|extern "C" \{', '', text)


def split(text):
    """Splits a list at the commas outside of parentheses."""
    parts, depth = [''], 0
    for c in text:
        depth += (c == '(') - (c == ')')
        if c == ',' and not depth:
            parts.append('')
        else:
            parts[-1] += c
    return [' '.join(p.split()) for p in parts]


def fold(line, indent):
    """Breaks a statement of more than 100 characters, at blanks."""
    lines = []
    while len(line) > 100:
        at = line.rfind(' ', len(indent) + 8, 98)
        lines.append(line[:at] + ' &')
        line = indent + '    ' + line[at + 1:]
    return '\n'.join(lines + [line])


class Header:
    """The declarations of a header, which are taken out of its text one kind after the other."""

    def __init__(self, text):
        self.text = text
        self.enums = dict(self.take(r'typedef enum (\w+) \{(.*?)\} \w+;'))
        self.constants = self.take(r'enum \{(.*?)\};')
        self.structs = dict(self.take(r'typedef struct (\w+) \{(.*?)\} \w+;'))
        self.handles = [a for a, _ in self.take(r'typedef struct (\w+) (\w+);')]
        self.functions = self.take(r'((?:const )?\w+ \**)(ek_\w+)\((.*?)\);')
        rest = self.text.replace('}', '').split()
        if rest:
            sys.exit('generate.py: not understood: ' + ' '.join(rest[:20]))

    def take(self, pattern):
        found = re.findall(pattern, self.text, flags=re.S)
        self.text = re.sub(pattern, '', self.text, flags=re.S)
        return found

    def scalar(self, name):
        if name in self.enums:
            return 'integer(c_int)'
        if name in self.structs:
            return f'type({name})'
        return SCALARS[name]

    def member(self, declaration):
        """Returns lines of a derived type for the members that one declaration declares."""
        callback = re.match(r'.*?\(\*(\w+)\)\(', declaration)
        if callback:
            return [f'type(c_funptr) :: {callback[1]} = c_null_funptr']
        kind, names = re.match(r'((?:const )?(?:struct )?\w+) (.*)', declaration).groups()
        kind = kind.replace('const ', '')
        lines = []
        for name in split(names):
            array = re.match(r'(\w+)\[(\d+)\]', name)
            fortran = 'type(c_ptr)' if name.startswith('*') else self.scalar(kind)
            default = DEFAULTS[re.match(r'(?:type\()?(\w+)', fortran)[1]]
            shape = f'({array[2]})' if array else ''
            lines.append(f'{fortran} :: {array[1] if array else name.lstrip("*")}{shape} = {default}')
        return lines

    def argument(self, function, text):
        """Returns name and declaration of an argument. Those that the library may keep, or that
        point to results, are targets: else compilers assume that a call with intent(in) leaves all
        memory as it was that the argument leads to."""
        callback = re.match(r'.*?\(\*(\w+)\)\(', text)
        if callback:
            return callback[1], 'type(c_funptr), value'
        const, kind, stars, name = re.match(r'(const )?(\w+) (\**)(\w+)$', text).groups()
        intent = 'intent(in)' if const else 'intent(inout)'
        left_out = optional(function, name)
        if kind in self.handles:
            return name, 'type(c_ptr), ' + ('value' if stars == '*' else 'intent(inout)')
        if kind == 'void' and stars == '**':
            return name, 'type(c_ptr), intent(inout)'
        if kind == 'void':
            # A user's own pointer, or memory of a device, else an array.
            if name in ('user', 'block', 'to_device', 'from_device') or name == 'to' and not const:
                return name, 'type(c_ptr), value'
            return name, f'type(*), dimension(*), target, {intent}{left_out}'
        if not stars:
            return name, f'{self.scalar(kind)}, value'
        if kind == 'char':
            return name, f'character(kind=c_char), dimension(*), {intent}{left_out}'
        if kind in self.structs:
            return name, f'type({kind}), target, {intent}{left_out}'
        if const:
            return name, f'{self.scalar(kind)}, dimension(*), target, {intent}'
        return name, f'{self.scalar(kind)}, {intent}{left_out}'

    def constant_lines(self):
        for group in [body for _, body in self.enums.items()] + self.constants:
            for entry in split(group):
                if entry:
                    name, value = entry.split(' = ')
                    value = re.sub(r'0x([0-9a-f]+)', lambda m: str(int(m[1], 16)), value)
                    # Fortran's names have no case: EK_SPMV is the function.
                    if name.lower() in {f[1] for f in self.functions}:
                        name = name.replace('EK_', 'EK_OPERATION_')
                    yield f'  integer(c_int), parameter :: {name} = {value}'

    def type_lines(self):
        for name, body in self.structs.items():
            yield f'\n  type, bind(C) :: {name}'
            for declaration in body.split(';'):
                declaration = ' '.join(declaration.split())
                for line in self.member(declaration) if declaration else ():
                    yield f'    {line}'
            yield f'  end type {name}'

    def sized(self):
        return [n for n, body in self.structs.items() if body.split(';')[0].split() == ['size_t', 'size']]

    def function_lines(self):
        for result, name, arguments in self.functions:
            args = [self.argument(name, a) for a in split(arguments) if a != 'void']
            kind = result.replace('const ', '').strip()
            head = 'subroutine' if kind == 'void' else 'function'
            names = ', '.join(a for a, _ in args)
            yield ''
            yield fold(f'    {head} {name}({names}) bind(C, name="{name}")', '    ')
            yield '      import'
            for a, declaration in args:
                yield f'      {declaration} :: {a}'
            if kind != 'void':
                yield f'      {"type(c_ptr)" if "*" in kind else self.scalar(kind)} :: {name}'
            yield f'    end {head} {name}'


def module():
    header = Header(read_header())
    yield f'''! SPDX-License-Identifier: BSD-3-Clause
! The library evenkeel for Fortran 2018. What each function computes, costs and refuses is said in the
! header <evenkeel/ek.h>. Made from it by fortran/generate.py: do not change by hand.
!
! - Handles are type(c_ptr). Structures are derived types with the same names; call `h = ek_hints()` to
!   set their sizes and all other members to 0.
! - Arrays are passed as they are, of any type: integer(4) or (8), real(4) or (8). What the library
!   borrows, and vectors and results, must have the attribute target and no gaps between elements
!   (ek_vector and its like refuse gaps by a size of 0), but columns of a block may be apart.
! - EK_BASE1 says that indices of a matrix begin with 1. The places of ek_sparse_vector, offsets of
!   segments and what primitives find count from 0.
! - Strings end with c_null_char: 'csr5'//c_null_char. ek_string makes Fortran's of those that come back.
! - An operation whose name is that of a function, EK_SPMV in C, is EK_OPERATION_SPMV here.
! - Constants for versions of the library are not here: call ek_version.
module evenkeel
  use, intrinsic :: iso_c_binding
  implicit none
  public
'''
    yield from header.constant_lines()
    yield from header.type_lines()
    own = re.findall(r'^  [^!\n]*function (\w+)\(', (HERE / 'functions.f90').read_text(), flags=re.M)
    own = [f'make_{name}' for name in header.sized()] + [n for n in own if not n.startswith('ek_')]
    yield fold('\n  private :: ' + ', '.join(own), '  ')
    for name in header.sized():
        yield f'\n  interface {name}\n    module procedure make_{name}\n  end interface'
    yield (HERE / 'functions.f90').read_text().split('contains\n')[0].split('!---\n')[1].rstrip()
    yield '\n  interface'
    yield from header.function_lines()
    yield '  end interface\ncontains'
    for name in header.sized():
        yield f'''
  type({name}) function make_{name}() result(s)
    s%size = c_sizeof(s)
  end function make_{name}'''
    yield (HERE / 'functions.f90').read_text().split('contains\n')[1].rstrip()
    yield 'end module evenkeel'


text = '\n'.join(module()) + '\n'
if sys.argv[1:] == ['--check']:
    if (HERE / 'evenkeel.f90').read_text() != text:
        sys.exit('fortran/evenkeel.f90 is not what the header says; run '
                 'fortran/generate.py >fortran/evenkeel.f90')
else:
    sys.stdout.write(text)
