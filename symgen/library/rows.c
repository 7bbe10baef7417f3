/* Compiled functions on NumPy arrays: what stands between a call in Python and the first row.
 *
 *     rows = Rows(result, lanes, entry, large, most, names, ports)
 *     rows.share(out, threads, least, ...)   -> result, or None: look more closely, in Python; threads have so many rows
 *     calling(type)                          -> a method of a type that runs its instances in this way, in one thread
 *
 * `entry` is the address of int32_t entry(int32_t rows, void *const *table), whose table holds pointers to inputs,
 * outputs and status; it returns the first status that is not OK. Arrays are taken as they are if each has its port's
 * type, one leading axis, and its rows one after the other, or if all have their numbers in columns. Everything else is
 * None here, and is converted, or refused with reasons, in Python (symgen/library/arguments.py).
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#include <stdbool.h>
#include <stdint.h>

#include "threads.h"

/* Ports and columns of most functions: so many need no memory of their own. */
enum { FEW_PORTS = 48, FEW_COLUMNS = 96 };

/* A function in lanes, for batches of rows or of columns; the first large batch asks for it. */
typedef struct {
    entry_function *entry; /* NULL: there is none, or none yet */
    bool asked;            /* and the answer stands */
} in_lanes;

typedef struct {
    PyObject_HEAD
    PyTypeObject *result; /* a tuple type: outputs, then status */
    PyObject *lanes;      /* lanes("rows"), lanes("columns"): address of an entry for rows side by side, 0: none; None: ask again */
    entry_function *rows;
    in_lanes rows_in_lanes;
    in_lanes columns_in_lanes;
    npy_intp large; /* rows from which on lanes are worth a compiler's time */
    npy_intp most;  /* rows that are solved without a look at signals */
    PyObject *names; /* of the inputs */
    PyObject *out;   /* the name of the results, if they are given */
    int inputs;
    int outputs; /* with the status, which is the last */
    size_t columns; /* of all ports, in the order of a table: reals in, whole numbers in, results */
    size_t bytes_of_row;
    port *ports;
} Rows;

static PyTypeObject *type_of_rows;
static PyObject *name_of_rows;
static PyObject *name_of_method;

/* Where a value's numbers are: rows one after the other, or columns. */
typedef enum { NEITHER, ROWS, COLUMNS, BOTH } layout;

static layout layout_of(PyArrayObject *array, port wanted, npy_intp rows)
{
    const int axes = wanted.width != 0 ? 2 : 1;
    if (PyArray_TYPE(array) != wanted.type || PyArray_NDIM(array) != axes || PyArray_DIM(array, 0) != rows
        || !PyArray_ISBEHAVED_RO(array) || (axes == 2 && PyArray_DIM(array, 1) != wanted.width)) {
        return NEITHER;
    }
    const npy_intp size = PyArray_ITEMSIZE(array);
    const npy_intp step = rows > 1 ? PyArray_STRIDE(array, 0) : size*(axes == 2 ? wanted.width : 1);
    if (axes == 1) {
        return rows <= 1 || step == size ? BOTH : NEITHER;
    }
    if (wanted.width == 1) {
        return step == size ? BOTH : NEITHER;
    }
    if (step == size*wanted.width && PyArray_STRIDE(array, 1) == size) {
        return ROWS;
    }
    return step == size && PyArray_STRIDE(array, 1) >= size*rows ? COLUMNS : NEITHER;
}

/* A number as a column of its own: a new reference, or NULL, without an error where it is none of the port's kind. */
static PyArrayObject *spread(PyObject *value, port wanted, npy_intp rows)
{
    double number = 0.0;
    if (PyFloat_CheckExact(value) && wanted.type != NPY_INT32) {
        number = PyFloat_AS_DOUBLE(value);
    } else if (PyLong_CheckExact(value)) {
        number = PyLong_AsDouble(value);
        if (PyErr_Occurred() != NULL) {
            PyErr_Clear();
            return NULL;
        }
        if (wanted.type == NPY_INT32 && !(number >= INT32_MIN && number <= INT32_MAX)) {
            return NULL;
        }
    } else {
        return NULL;
    }
    if (wanted.width != 0) {
        return NULL;
    }
    PyArrayObject *column = (PyArrayObject *)PyArray_SimpleNew(1, &rows, wanted.type);
    if (column == NULL) {
        return NULL;
    }
    for (npy_intp row = 0; row < rows; ++row) {
        void *place = PyArray_GETPTR1(column, row);
        if (wanted.type == NPY_DOUBLE) {
            *(double *)place = number;
        } else if (wanted.type == NPY_FLOAT) {
            *(float *)place = (float)number;
        } else {
            *(int32_t *)place = (int32_t)number;
        }
    }
    return column;
}

/* Where an array of ours begins and ends; one in columns has gaps, which count as part of it. */
typedef struct {
    const char *begin;
    const char *end;
} span;

static span span_of(PyArrayObject *array)
{
    const char *begin = PyArray_BYTES(array);
    const char *end = begin + PyArray_ITEMSIZE(array);
    for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
        end += (PyArray_DIM(array, axis) - 1)*PyArray_STRIDE(array, axis);
    }
    return (span){begin, end};
}

/* The number of rows by the first array that has an axis for them; -1: not to be seen from here. */
static npy_intp count_rows(const Rows *self, PyObject *const *values)
{
    for (int k = 0; k < self->inputs; ++k) {
        if (PyArray_CheckExact(values[k])) {
            PyArrayObject *array = (PyArrayObject *)values[k];
            if (PyArray_NDIM(array) == (self->ports[k].width != 0 ? 2 : 1)) {
                const npy_intp rows = PyArray_DIM(array, 0);
                return rows > 0 && rows <= INT32_MAX ? rows : -1;
            }
        }
    }
    return -1;
}

/* Ask for an entry in lanes, until there is an answer that stands; false with an error set. */
static bool ask_for_lanes(Rows *self, in_lanes *wanted, const char *form)
{
    wanted->asked = true; /* other threads go on without it meanwhile */
    PyObject *found = PyObject_CallFunction(self->lanes, "s", form);
    if (found == NULL) { /* interrupted, for one */
        wanted->asked = false;
        return false;
    }
    if (found != Py_None) {
        const unsigned long long address = PyLong_AsUnsignedLongLong(found);
        if (PyErr_Occurred()) {
            Py_DECREF(found);
            return false;
        }
        wanted->entry = (entry_function *)(uintptr_t)address;
    } else {
        wanted->asked = false;
    }
    Py_DECREF(found);
    return true;
}

/* A batch whose arrays are in place. */
typedef struct {
    PyArrayObject **arrays; /* of inputs and results, in the order of the ports; all are ours */
    PyArrayObject *few[FEW_PORTS];
    int taken; /* how many are there */
    PyObject *result;
    npy_intp rows;
    bool in_columns;
} batch;

static solver solver_of(const Rows *self, const batch *given)
{
    const in_lanes *found = given->in_columns ? &self->columns_in_lanes : &self->rows_in_lanes;
    return (solver){
        .entry = found->entry != NULL ? found->entry : self->rows, .by_row = self->rows, .ports = self->ports,
        .inputs = self->inputs, .outputs = self->outputs, .bytes_of_row = self->bytes_of_row,
        .in_columns = given->in_columns};
}

/* How many pointers a batch has: to arrays, or to columns. */
static size_t pointers_of(const Rows *self, const batch *given)
{
    return given->in_columns ? self->columns : (size_t)(self->inputs + self->outputs);
}

/* Fill a table with the pointers of a batch to its first row and, unless `steps` is NULL, tell how many bytes each moves on
 * for a row. Python may change an array's strides while other threads run: this is done before they do. */
static void fill(const solver *by, const batch *given, void **table, npy_intp *steps)
{
    for (int k = 0; k < by->inputs + by->outputs; ++k) {
        const port *of = &by->ports[k];
        PyArrayObject *array = given->arrays[k];
        const size_t first = by->in_columns ? of->column : (size_t)k;
        for (size_t j = 0; j < pointers_of_port(by, of); ++j) {
            table[first + j] = PyArray_BYTES(array) + (j != 0 ? (npy_intp)j*PyArray_STRIDE(array, 1) : 0);
            if (steps != NULL) {
                steps[first + j] = (npy_intp)step_of_port(by, of);
            }
        }
    }
}

/* Solve all rows; returns a status that is not OK if a row has one, -1 with an error set. */
static int32_t run(const Rows *self, const batch *given)
{
    void *few[FEW_COLUMNS];
    const size_t needed = pointers_of(self, given);
    void **table = needed <= FEW_COLUMNS ? few : PyMem_Malloc(needed*sizeof *table);
    if (table == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    const solver by = solver_of(self, given);
    fill(&by, given, table, NULL);
    int32_t worst;
    Py_BEGIN_ALLOW_THREADS
    worst = solve_rows(&by, (int32_t)given->rows, table);
    Py_END_ALLOW_THREADS
    if (worst == NO_MEMORY) {
        PyErr_NoMemory();
    }
    if (table != few) {
        PyMem_Free(table);
    }
    return worst;
}

/* Solve all rows as `run` does, in parts: in several threads, or with looks at signals between them. */
static int32_t run_in_parts(const Rows *self, const batch *given, int threads, npy_intp least)
{
    const size_t needed = pointers_of(self, given);
    void **table = PyMem_Malloc(needed*sizeof *table);
    npy_intp *steps = PyMem_Malloc(needed*sizeof *steps);
    int32_t worst = -1;
    if (table == NULL || steps == NULL) {
        PyErr_NoMemory();
    } else {
        const solver by = solver_of(self, given);
        fill(&by, given, table, steps);
        worst = solve_in_threads(&by, table, steps, needed, given->rows, threads, least, self->most);
    }
    PyMem_Free(table);
    PyMem_Free(steps);
    return worst;
}

static void let_go(batch *given)
{
    for (int k = 0; k < given->taken; ++k) {
        Py_DECREF(given->arrays[k]);
    }
    if (given->arrays != given->few) {
        PyMem_Free(given->arrays);
    }
    Py_CLEAR(given->result);
    given->arrays = given->few;
    given->taken = 0;
}

/* Tell whether a batch can be solved as it lies, columns only in lanes; false also where an error is set. */
static bool is_at_hand(Rows *self, const batch *given)
{
    in_lanes *wanted = given->in_columns ? &self->columns_in_lanes : &self->rows_in_lanes;
    if (!wanted->asked && given->rows >= self->large
        && !ask_for_lanes(self, wanted, given->in_columns ? "columns" : "rows")) {
        return false;
    }
    return !given->in_columns || wanted->entry != NULL;
}

/* Take the arrays of the inputs; false: one is not as it must be, or an error is set. */
static bool inputs_in_place(Rows *self, PyObject *const *values, batch *given)
{
    bool as_rows = true;
    bool as_columns = true;
    for (int k = 0; k < self->inputs && (as_rows || as_columns); ++k) {
        PyArrayObject *array;
        if (PyArray_CheckExact(values[k])) {
            array = (PyArrayObject *)values[k];
            Py_INCREF(array);
        } else {
            array = spread(values[k], self->ports[k], given->rows);
            if (array == NULL) {
                return false;
            }
        }
        given->arrays[given->taken++] = array;
        const layout here = layout_of(array, self->ports[k], given->rows);
        as_rows = as_rows && (here == ROWS || here == BOTH);
        as_columns = as_columns && (here == COLUMNS || here == BOTH);
    }
    given->in_columns = !as_rows;
    return (as_rows || as_columns) && is_at_hand(self, given);
}

/* Tell whether no result shares memory with an input or another result. */
static bool apart(const Rows *self, const batch *given)
{
    span few[FEW_PORTS];
    const int ports = self->inputs + self->outputs;
    span *spans = ports <= FEW_PORTS ? few : PyMem_Malloc((size_t)ports*sizeof *spans);
    if (spans == NULL) {
        PyErr_NoMemory();
        return false;
    }
    bool found = true;
    for (int k = 0; k < ports; ++k) {
        spans[k] = span_of(given->arrays[k]);
        for (int j = 0; j < k && k >= self->inputs; ++j) {
            found = found && (spans[k].end <= spans[j].begin || spans[j].end <= spans[k].begin);
        }
    }
    if (spans != few) {
        PyMem_Free(spans);
    }
    return found;
}

/* Find the arrays of the results, given or new; false: one is not as it must be, or an error is set. */
static bool results_in_place(Rows *self, PyObject *out, batch *given)
{
    for (int k = 0; k < self->outputs; ++k) {
        const port wanted = self->ports[self->inputs + k];
        PyArrayObject *array;
        if (out == Py_None) {
            const npy_intp shape[2] = {given->rows, wanted.width};
            array = (PyArrayObject *)PyArray_EMPTY(wanted.width != 0 ? 2 : 1, shape, wanted.type, given->in_columns);
            if (array == NULL) {
                return false;
            }
        } else {
            array = (PyArrayObject *)PyTuple_GET_ITEM(out, k);
            if (!PyArray_CheckExact((PyObject *)array)) {
                return false;
            }
            const layout found = layout_of(array, wanted, given->rows);
            if (!(found == BOTH || found == (given->in_columns ? COLUMNS : ROWS)) || !PyArray_ISWRITEABLE(array)) {
                return false;
            }
            Py_INCREF(array);
        }
        given->arrays[given->taken++] = array;
        Py_INCREF(array);
        PyTuple_SET_ITEM(given->result, k, (PyObject *)array);
    }
    return out == Py_None || apart(self, given);
}

/* What a call is given: values by position, then others by name. */
typedef struct {
    PyObject *const *values;
    Py_ssize_t by_position;
    PyObject *names; /* a tuple, or NULL */
    Py_ssize_t by_name;
} arguments;

static arguments arguments_of(PyObject *const *values, Py_ssize_t by_position, PyObject *names)
{
    return (arguments){values, by_position, names, names != NULL ? PyTuple_GET_SIZE(names) : 0};
}

static bool is_same_name(PyObject *one, PyObject *other)
{
    return one == other
        || (PyUnicode_GET_LENGTH(one) == PyUnicode_GET_LENGTH(other) && PyUnicode_Compare(one, other) == 0);
}

/* The place of a name among those given, looked for from `place` on and then before it; -1: it is not there. */
static Py_ssize_t place_of(const arguments *given, PyObject *name, Py_ssize_t place)
{
    for (Py_ssize_t k = 0; k < given->by_name; ++k, ++place) {
        place = place < given->by_name ? place : 0;
        if (is_same_name(PyTuple_GET_ITEM(given->names, place), name)) {
            return place;
        }
    }
    return -1;
}

/* The values of the inputs in their order; false: not all of them are there. */
static bool in_order(const Rows *self, const arguments *given, PyObject **values)
{
    Py_ssize_t place = -1;
    for (int k = 0; k < self->inputs; ++k) {
        if (k >= given->by_position) {
            place = place_of(given, PyTuple_GET_ITEM(self->names, k), place + 1);
            if (place < 0) {
                return false;
            }
        }
        values[k] = given->values[k < given->by_position ? k : given->by_position + place];
    }
    return true;
}

/* Find the results that are given, as `out` or by that name; NULL: there are others than inputs, or none of ours. */
static PyObject *out_of(const Rows *self, const arguments *given, PyObject *out)
{
    const Py_ssize_t others = given->by_position + given->by_name - self->inputs;
    if (others == 1 && out == Py_None) {
        const Py_ssize_t place = place_of(given, self->out, given->by_name - 1);
        out = place >= 0 ? given->values[given->by_position + place] : NULL;
    } else if (others != 0) {
        return NULL;
    }
    if (out == NULL || given->by_position > self->inputs) {
        return NULL;
    }
    return out == Py_None || (Py_TYPE(out) == self->result && PyTuple_GET_SIZE(out) == self->outputs) ? out : NULL;
}

/* Put a batch in place: its inputs, and results, given or new; false: it has to be looked at, or an error is set. */
static bool in_place(Rows *self, const arguments *given, PyObject *out, batch *found)
{
    const size_t ports = (size_t)(self->inputs + self->outputs);
    found->taken = 0;
    found->result = NULL;
    found->arrays = found->few;
    out = out_of(self, given, out);
    PyObject *few[FEW_PORTS];
    PyObject **values = ports <= FEW_PORTS ? few : PyMem_Malloc(ports*sizeof *values);
    if (values == NULL) {
        PyErr_NoMemory();
        return false;
    }
    bool done = false;
    if (out != NULL && in_order(self, given, values)) {
        found->rows = count_rows(self, values);
        if (found->rows > 0) {
            found->arrays = ports <= FEW_PORTS ? found->few : PyMem_Malloc(ports*sizeof *found->arrays);
            if (found->arrays == NULL) {
                found->arrays = found->few;
                PyErr_NoMemory();
            } else if (inputs_in_place(self, values, found)) {
                found->result = self->result->tp_alloc(self->result, self->outputs);
                done = found->result != NULL && results_in_place(self, out, found);
            }
        }
    }
    if (values != few) {
        PyMem_Free(values);
    }
    if (!done) {
        let_go(found);
    }
    return done;
}

static PyObject *looked_at_elsewhere(void)
{
    if (PyErr_Occurred() != NULL) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Solve a batch; returns its results, or NULL with an error set. */
static PyObject *solved(const Rows *self, batch *given, npy_intp threads, npy_intp least)
{
    PyObject *result = NULL;
    const bool in_parts = threads > 1 || given->rows > self->most;
    if ((in_parts ? run_in_parts(self, given, (int)threads, least) : run(self, given)) != -1) {
        result = given->result;
        given->result = NULL;
    }
    let_go(given);
    return result;
}

static PyObject *Rows_share(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Rows *self = (Rows *)object;
    batch found;
    if (count < 3) {
        return PyErr_Format(PyExc_TypeError, "share(out, threads, least, ...)");
    }
    const Py_ssize_t most = PyNumber_AsSsize_t(args[1], PyExc_OverflowError);
    if (most == -1 && PyErr_Occurred() != NULL) {
        return NULL;
    }
    const Py_ssize_t least = PyNumber_AsSsize_t(args[2], PyExc_OverflowError);
    if (least == -1 && PyErr_Occurred() != NULL) {
        return NULL;
    }
    const arguments given = arguments_of(args + 3, count - 3, names);
    if (!in_place(self, &given, args[0], &found)) {
        return looked_at_elsewhere();
    }
    const solver by = solver_of(self, &found);
    const npy_intp threads = Py_MIN(Py_MIN(most, 1024), found.rows/Py_MAX(least, rows_of_parts(&by)));
    return solved(self, &found, Py_MAX(threads, 1), Py_MAX(least, 1));
}

/* How a function is called: by its Rows if they can, else by its own method, which looks more closely. */
static PyObject *call(PyObject *function, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *rows = PyObject_GetAttr(function, name_of_rows);
    if (rows == NULL) {
        return NULL;
    }
    PyObject *result = NULL;
    if (Py_TYPE(rows) == type_of_rows) {
        batch found;
        const arguments given = arguments_of(args, count, names);
        if (in_place((Rows *)rows, &given, Py_None, &found)) {
            result = solved((Rows *)rows, &found, 1, 1);
        }
    }
    Py_DECREF(rows);
    if (result != NULL || PyErr_Occurred() != NULL) {
        return result;
    }
    PyObject *method = PyObject_GetAttr(function, name_of_method);
    result = method != NULL ? PyObject_Vectorcall(method, args, (size_t)count, names) : NULL;
    Py_XDECREF(method);
    return result;
}

static PyMethodDef call_definition = {
    "__call__", (PyCFunction)(void (*)(void))call, METH_FASTCALL | METH_KEYWORDS,
    "__call__($self, /, *given, **named)\n--\n\nRun the function: its class tells how."};

static PyObject *calling(PyObject *module, PyObject *type)
{
    (void)module;
    if (!PyType_Check(type)) {
        return PyErr_Format(PyExc_TypeError, "calling(type)");
    }
    return PyDescr_NewMethod((PyTypeObject *)type, &call_definition);
}

/* Find out where the numbers of ports are in a row of all of them, and in a table of columns. */
static void place(Rows *self)
{
    for (int turn = 0; turn < 3; ++turn) {
        for (int k = 0; k < self->inputs + self->outputs; ++k) {
            port *each = &self->ports[k];
            if ((k >= self->inputs ? 2 : each->type == NPY_INT32 ? 1 : 0) == turn) {
                each->column = self->columns;
                self->columns += each->width > 1 ? (size_t)each->width : 1;
            }
        }
    }
    for (int k = 0; k < self->inputs + self->outputs; ++k) {
        port *each = &self->ports[k];
        each->kind = each->type == NPY_INT32 ? WHOLE : each->type == NPY_FLOAT ? FLOAT : DOUBLE;
        each->size = each->kind == DOUBLE ? sizeof(double) : sizeof(float);
        each->place_in_row = self->bytes_of_row;
        const size_t bytes = each->size*(each->width > 1 ? (size_t)each->width : 1);
        self->bytes_of_row += (bytes + sizeof(double) - 1)/sizeof(double)*sizeof(double); /* each is aligned for all */
    }
}

static void Rows_dealloc(PyObject *object)
{
    Rows *self = (Rows *)object;
    Py_XDECREF(self->result);
    Py_XDECREF(self->lanes);
    Py_XDECREF(self->names);
    Py_XDECREF(self->out);
    PyMem_Free(self->ports);
    PyTypeObject *type = Py_TYPE(object);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *Rows_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyTypeObject *result;
    PyObject *lanes;
    unsigned long long entry;
    Py_ssize_t large;
    Py_ssize_t most;
    PyObject *names;
    PyObject *ports;
    (void)named;
    if (!PyArg_ParseTuple(args, "O!OKnnO!O!", &PyType_Type, &result, &lanes, &entry, &large, &most, &PyTuple_Type,
            &names, &PyTuple_Type, &ports)) {
        return NULL;
    }
    const int inputs = (int)PyTuple_GET_SIZE(names);
    const Py_ssize_t count = PyTuple_GET_SIZE(ports);
    if (inputs >= count || !PyType_IsSubtype(result, &PyTuple_Type)) {
        PyErr_SetString(PyExc_ValueError, "Rows: fewer inputs than ports, and a tuple type, are needed");
        return NULL;
    }
    Rows *self = (Rows *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->out = PyUnicode_InternFromString("out");
    self->ports = self->out == NULL ? NULL : PyMem_Calloc((size_t)count, sizeof *self->ports);
    if (self->ports == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    for (Py_ssize_t k = 0; k < inputs; ++k) {
        if (!PyUnicode_Check(PyTuple_GET_ITEM(names, k))) {
            Py_DECREF(self);
            return PyErr_Format(PyExc_TypeError, "Rows: names of inputs are texts");
        }
    }
    self->inputs = inputs;
    self->outputs = (int)count - inputs;
    for (Py_ssize_t k = 0; k < count; ++k) {
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(ports, k), "in", &self->ports[k].type, &self->ports[k].width)) {
            Py_DECREF(self);
            return NULL;
        }
    }
    place(self);
    Py_INCREF(result);
    Py_INCREF(lanes);
    Py_INCREF(names);
    self->names = names;
    self->result = result;
    self->lanes = lanes;
    self->rows = (entry_function *)(uintptr_t)entry;
    self->large = large;
    self->most = most;
    return (PyObject *)self;
}

static PyMethodDef Rows_methods[] = {
    {"share", (PyCFunction)(void (*)(void))Rows_share, METH_FASTCALL | METH_KEYWORDS,
        "Return the result of a batch that threads share, or None."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot Rows_slots[] = {
    {Py_tp_new, Rows_new}, {Py_tp_methods, Rows_methods}, {Py_tp_dealloc, Rows_dealloc}, {0, NULL}};

static PyType_Spec Rows_spec = {"symgen.Rows", sizeof(Rows), 0, Py_TPFLAGS_DEFAULT, Rows_slots};

static PyMethodDef functions[] = {
    {"calling", calling, METH_O, "Return a method that runs instances of a type, which have `_compiled` and `_call`."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_symgen_rows", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__symgen_rows(void)
{
    import_array();
    PyObject *made = PyModule_Create(&module);
    PyObject *type = made != NULL ? PyType_FromSpec(&Rows_spec) : NULL;
    name_of_rows = PyUnicode_InternFromString("_compiled");
    name_of_method = PyUnicode_InternFromString("_call");
    if (type == NULL || name_of_rows == NULL || name_of_method == NULL || PyModule_AddObjectRef(made, "Rows", type) < 0) {
        Py_XDECREF(made);
        Py_XDECREF(type);
        return NULL;
    }
    type_of_rows = (PyTypeObject *)type; /* for good, as the names are */
    return made;
}
