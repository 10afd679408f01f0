#!/usr/bin/env python3
"""Writes the calls of tests/test_misuse.c: every public function with every argument, and every field of every argument, wrong.

Read from the headers, so that no function can be forgotten: one with an argument of a type that is not known here is an error.
misuse.py HEADER... > misuse_calls.h
"""
import re
import sys

# How a test gets a good value of a type, by the type or by 'function.argument'. `f` is the fixture.
GOOD = {
    'cn_world *': 'f->world', 'cn_body_id': 'f->body', 'cn_shape_id': 'f->shape', 'cn_joint_id': 'f->joint', 'cn_hull_id': 'f->hull',
    'cn_mesh *': 'f->mesh', 'cn_height_field *': 'f->field', 'cn_compound *': 'f->compound', 'cn_problem *': 'f->problem',
    'cn_vec3': 'good_vector', 'cn_pos3': '(cn_pos3){ 1.0, 2.0, 3.0 }', 'cn_quat': 'no_turn', 'cn_transform': 'good_place', 'cn_pose': 'good_pose',
    'cn_mass': 'cn_mass_box(good_vector, 1.0f)', 'cn_filter': 'cn_filter_default()', 'bool': 'true', 'float': '1.0f', 'double': '1.0', 'int': '1',
    'uint32_t': '1', 'size_t': '1', 'cn_dof': 'CN_TWIST', 'cn_motor_mode': 'CN_MOTOR_SPEED', 'cn_body_type': 'CN_DYNAMIC',
    'cn_block_kind': 'CN_BLOCK_CONTACT', 'cn_law': 'CN_LAW_COULOMB', 'cn_problem_kind': 'CN_PROBLEM_ANY', 'cn_stage': 'CN_STAGE_SOLVE',
    'void *': 'NULL', 'cn_hit_fn': 'go_on', 'cn_modify_fn': 'leave_alone', 'cn_lab_callback': 'NULL',
    'cn_body_def': 'cn_body_def_default()', 'cn_shape_def': 'good_shape()', 'cn_material': 'cn_material_default()',
    'cn_joint_def': 'good_joint(f)', 'cn_joint_axis': 'good_axis()', 'cn_joint_ball': 'cn_joint_def_default().ball',
    'cn_world_def': 'cn_world_def_default()', 'cn_mesh_def': 'good_mesh()', 'cn_height_field_def': 'good_field()',
    'cn_compound_part': 'good_part()', 'cn_query_filter': 'good_filter()', 'cn_ray': '(cn_ray){ { 0.0, 5.0, 0.0 }, { 0.0f, -10.0f, 0.0f } }',
    'cn_probe': 'good_probe()', 'cn_bounds': '(cn_bounds){ { -1.0, -1.0, -1.0 }, { 1.0, 1.0, 1.0 } }', 'cn_path_def': 'good_path()',
    'cn_ragdoll_def': 'cn_ragdoll_def_default()', 'cn_ragdoll_pose': 'cn_ragdoll_pose_rest()', 'cn_ragdoll': 'f->doll',
    'cn_lab_options': 'cn_lab_options_default()', 'cn_model_body': 'good_model_body()', 'cn_block_def': 'good_block()',
    'cn_row_options': 'cn_row_options_default()', 'cn_row_problem': 'good_rows()', 'cn_allocator': 'heap',
    'cn_world_destroy.world': 'cn_world_create(NULL)', 'cn_mesh_destroy.mesh': 'NULL', 'cn_height_field_destroy.field': 'NULL',
    'cn_compound_destroy.compound': 'NULL', 'cn_problem_destroy.problem': 'NULL', 'cn_world_set_solver.name': '"pgs"',
    'cn_lab_solve.solver': '"pgs"', 'cn_problem_parse.text': '"x"', 'cn_problem_read.path': '"/nowhere/at/all"',
    'cn_problem_write.path': '"/nowhere/at/all"', 'cn_ragdoll_follow.time': '0.5f', 'cn_world_step.dt': '0.01f',
    'cn_mesh_save.capacity': '0', 'cn_body_get_collide.other': 'f->other', 'cn_body_set_collide.other': 'f->other',
    'cn_shape_set_collide.other': 'f->other_shape', 'cn_shape_get_collide.other': 'f->other_shape',
    'cn_body_set_path.body': 'f->carrier', 'cn_body_move_kinematic.body': 'f->carrier', 'cn_lab_solve.problem': 'f->problem',
}
# What functions write to: large enough for all they say.
BUFFERS = {'cn_shape_id', 'cn_joint_id', 'cn_contact_data', 'cn_hit', 'cn_vec3', 'int', 'double', 'cn_problem_info', 'cn_island_report',
           'cn_row_terms', 'double[6]', 'double[9]'}
# Their results belong to the caller.
OWNED = {'cn_world *': 'cn_world_destroy', 'cn_mesh *': 'cn_mesh_destroy', 'cn_height_field *': 'cn_height_field_destroy',
         'cn_compound *': 'cn_compound_destroy', 'cn_problem *': 'cn_problem_destroy'}
# Counts of arrays that are read: no function can know that one is shorter than it was told.
READ_COUNTS = re.compile(r'^(count|key_count|.*_count|size|length|columns|rows)$')
FLOATS = ['NAN', 'INFINITY', '-INFINITY', '3e38f', '-3e38f', '1e-42f', '0.0f', '-1.0f']
DOUBLES = ['(double)NAN', '(double)INFINITY', '-(double)INFINITY', '1e300', '-1e300', '1e-320', '0.0', '-1.0']
INTS = ['-1', 'INT_MIN', 'INT_MAX', '0']
SIZES = {'uint8_t': ['0', 'UINT8_MAX'], 'uint16_t': ['0', 'UINT16_MAX'], 'uint32_t': ['0', 'UINT32_MAX'], 'int32_t': ['INT32_MIN', 'INT32_MAX'],
         'uint64_t': ['0', 'UINT64_MAX'], 'size_t': ['0']}


def fail(text):
    sys.exit('misuse.py: ' + text)


class Headers:
    """The structs, enums and functions of the public headers."""

    def __init__(self, paths):
        text = '\n'.join(open(path, encoding='utf-8').read() for path in paths)
        text = re.sub(r'//.*', '', text)
        self.enums = {m.group(2) for m in re.finditer(r'typedef enum (\w+) \{[^}]*\} (\w+);', text)}
        self.pointers = set(re.findall(r'typedef [\w ]+ \(\*(\w+)\)\(', text))
        self.structs = {}
        for m in re.finditer(r'typedef struct (\w+) \{(.*?)\n?\} \1;', text, re.S):
            self.structs[m.group(1)] = self.fields(m.group(2))
        self.functions = []
        for m in re.finditer(r'CN_API\s+([^;{(]+?)(\w+)\s*\(([^;]*)\)\s*;', text):
            self.functions.append((m.group(2), ' '.join(m.group(1).split()), self.arguments(m.group(3), m.group(2))))

    @staticmethod
    def arguments(text, function):
        out = []
        for part in re.split(r',', ' '.join(text.split())):
            part = part.strip()
            if part in ('', 'void'):
                continue
            m = (re.match(r'((?:const )?double) \(\*(\w+)\)\[(\d)\]$', part) or re.match(r'(.*?)(\w+)(?:\[(\d+)\])?$', part))
            kind = m.group(1).strip()
            if '(*' in part:
                kind = f'{kind}[{m.group(3)}] *'
            elif m.group(3):
                kind += ' *'
            if not kind:
                fail(f'{function}: cannot read the argument {part!r}')
            out.append((kind, m.group(2)))
        return out

    @staticmethod
    def fields(body):
        out = []
        for line in re.findall(r'[^;]+;', body):
            line = ' '.join(line.rstrip(';').split())
            if '(*' in line:
                out.append(('function', re.search(r'\(\*(\w+)\)', line).group(1), 0))
                continue
            m = re.match(r'((?:const )?(?:struct )?\w+)\s+(.*)$', line)
            for name in m.group(2).split(','):
                name = name.strip()
                star = name.startswith('*')
                out.append((m.group(1) + (' *' if star else ''), re.match(r'\**\s*(\w+)', name).group(1), name.count('[')))
        return out


def wrong_scalars(kind, headers, name, deep):
    if kind == 'float':
        return FLOATS
    if kind == 'double':
        return DOUBLES
    if kind == 'int':
        return ['-1', 'INT_MIN', '0'] if READ_COUNTS.match(name) else INTS
    if kind in SIZES:
        return SIZES[kind]
    if kind in headers.enums:
        return [f'({kind})-1', f'({kind})9999']
    if kind == 'bool':
        return ['false']
    if kind in ('cn_body_id', 'cn_shape_id', 'cn_joint_id', 'cn_hull_id'):
        what = kind[3:-3]
        return [f'({kind}){{ 0 }}', f'f->stale_{what}', f'f->foreign_{what}']
    if kind == 'const cn_allocator *' and deep:
        return ['NULL', '&takes_nothing', '&gives_nothing_back']
    if kind in headers.pointers or kind == 'function' or kind.endswith('*'):
        return ['NULL']
    if kind in headers.structs:
        return None if deep else []
    return fail(f'no wrong values are known for the type {kind!r} of {name}')


def wrong_places(kind, path, headers, name):
    """Every wrong value of `path`, and of every field of it: (where, value)."""
    values = wrong_scalars(kind, headers, name, True)
    if values is not None:
        return [(path, value) for value in values]
    out = []
    for field_kind, field, dimensions in headers.structs[kind]:
        where = f'{path}.{field}' + '[0]' * dimensions
        if field_kind == 'void *':
            continue
        out += wrong_places(field_kind, where, headers, field)
    return out


def declare(function, kind, name, headers):
    """Declarations of a good argument, and what may be wrong with it: (declarations, [(where, value)])."""
    key = f'{function}.{name}'
    base = kind.replace('const ', '').rstrip('*').strip()
    if kind in ('const char *',):
        return [f'const char *{name} = {GOOD.get(key) or fail("no good value for " + key)};'], [(name, 'NULL'), (name, '""'), (name, '"no such folder/thing"')]
    if kind in ('const void *', 'void *'):
        return [f'static char {name}_bytes[64];', f'{kind}{name} = {name}_bytes;'], [(name, 'NULL')]
    if kind.endswith('*') and key not in GOOD and base + ' *' in GOOD:  # a handle
        return [f'{kind}{name} = {GOOD[base + " *"]};'], [(name, 'NULL')]
    if kind.endswith('*') and key in GOOD:
        return [f'{kind}{name} = {GOOD[key]};'], [(name, 'NULL')]
    if kind.endswith('*') and base in headers.structs and base in GOOD and ('const' in kind or base not in BUFFERS):
        changes = [(name, 'NULL')] + wrong_places(base, f'{name}_value', headers, name)
        return [f'{base} {name}_value = {GOOD[base]};', f'{kind}{name} = &{name}_value;'], changes
    if kind.endswith('*') and base in BUFFERS:
        element = re.match(r'(\w+)(?:\[(\d)\])?', base)
        if element.group(2):
            return [f'static double {name}_values[64][{element.group(2)}];', f'{kind.split("[")[0]} (*{name})[{element.group(2)}] = {name}_values;'], [(name, 'NULL')]
        return [f'static {base} {name}_values[64];', f'memset({name}_values, 0, sizeof {name}_values);', f'{kind}{name} = {name}_values;'], [(name, 'NULL')]
    if kind.endswith('*') and base in headers.structs:
        return [f'{base} {name}_value = {{ 0 }};', f'{kind}{name} = &{name}_value;'], [(name, 'NULL')]
    good = GOOD.get(key) or GOOD.get(kind) or fail(f'{function}: no good value is known for an argument of the type {kind!r}')
    return [f'{kind} {name} = {good};'], wrong_places(kind, name, headers, name)


def call_of(function, result, arguments):
    call = f'{function}({", ".join(name for _, name in arguments)})'
    if result in OWNED:
        return f'{OWNED[result]}({call})'
    return call if result == 'void' else f'(void){call}'


def write(headers, out):
    names = []
    for function, result, arguments in headers.functions:
        declarations, changes = [], []
        for kind, name in arguments:
            d, c = declare(function, kind, name, headers)
            declarations += d
            changes += c
        call = call_of(function, result, arguments)
        out.write(f'static void good_{function}(fixture *f)\n{{\n    (void)f;\n')
        out.writelines(f'    {d}\n' for d in declarations)
        changes_world = result == 'bool' and any(kind == 'cn_world *' for kind, _ in arguments)
        out.write(f'    {call.replace("(void)", "f->answered = ", 1) if changes_world else call};\n}}\n\nstatic void misuse_{function}(fixture *f, int which)\n{{\n    (void)f, (void)which;\n')
        out.writelines(f'    {d}\n' for d in declarations)
        out.write('    switch (which) {\n')
        for i, (where, value) in enumerate(changes):
            out.write(f'    case {i}: note("{function}", "{where} = {value.replace(chr(34), chr(39))}"); {where} = {value}; break;\n')
        out.write(f'    default: note("{function}", "as it should be"); break;\n    }}\n    {call};\n}}\n\n')
        names.append((function, len(changes)))
    out.write('static const misuse misuses[] = {\n')
    out.writelines(f'    {{ "{name}", good_{name}, misuse_{name}, {count} }},\n' for name, count in names)
    out.write('};\n')


if __name__ == '__main__':
    found = Headers(sys.argv[1:])
    declared = sum(len(re.findall(r'^CN_API (?!CN_EXTERN)', open(p, encoding='utf-8').read(), re.M)) for p in sys.argv[1:])
    if declared != len(found.functions):
        fail(f'{declared} functions are declared, {len(found.functions)} were read')
    write(found, sys.stdout)
