"""Fixture of the tests, written by hand: two bars between two pins, in the plane (NumPy)."""

import numpy as np

OK, NO_ASSEMBLY, SINGULAR, DEGENERATE, BAD_INPUT = 0, 1, 2, 5, 7


def kernel_position(a, b, l1, l2, branch):
    """Return the middle pin, the signed area and the status."""
    a, b, l1, l2 = (np.asarray(value, dtype=np.float64) for value in (a, b, l1, l2))
    branch = np.asarray(branch, dtype=np.int32)
    shape = np.broadcast_shapes(a.shape[:-1], b.shape[:-1], l1.shape, l2.shape, branch.shape)
    with np.errstate(all="ignore"):
        dx, dy = b[..., 0] - a[..., 0], b[..., 1] - a[..., 1]
        d2 = dx * dx + dy * dy
        f = 0.5 * (l1 * l1 - l2 * l2 + d2) / d2
        h2 = l1 * l1 / d2 - f * f
        h = np.where(branch == 0, 1.0, -1.0) * np.sqrt(np.maximum(h2, 0.0))
        c = np.stack(np.broadcast_arrays(a[..., 0] + f * dx - h * dy, a[..., 1] + f * dy + h * dx), axis=-1)
        area = 0.5 * h * d2
        bad = ~(l1 > 0) | ~(l2 > 0) | (branch < 0) | (branch > 1) | ~(d2 < 1e30)
        status = np.select(
            [bad, ~(d2 > 0), ~(h2 >= 0), ~(h2 > 1e-12)], [BAD_INPUT, DEGENERATE, NO_ASSEMBLY, SINGULAR], OK
        )
    status = np.broadcast_to(status, shape).astype(np.int32)
    written = (status == OK) | (status == SINGULAR)
    return np.where(written[..., None], c, np.nan), np.where(written, area, np.nan), status


def _at(pose, frame):
    c, s = np.cos(pose[..., 2]), np.sin(pose[..., 2])
    x = pose[..., 0] + c * frame[..., 0] - s * frame[..., 1]
    y = pose[..., 1] + s * frame[..., 0] + c * frame[..., 1]
    return np.stack(np.broadcast_arrays(x, y), axis=-1)


def _wrap(t):
    return np.arctan2(np.sin(t), np.cos(t))


def _body(pin, angle, frame):
    c, s = np.cos(angle), np.sin(angle)
    x = pin[..., 0] - c * frame[..., 0] + s * frame[..., 1]
    y = pin[..., 1] - s * frame[..., 0] - c * frame[..., 1]
    return np.stack(np.broadcast_arrays(x, y, angle), axis=-1)


def rrr_position(k1, k2, f_j1_k1, f_j1_b1, f_j2_b1, f_j2_b2, f_j3_k2, f_j3_b2, branch):
    """Return both bodies, the three joint angles and the status."""
    values = (k1, k2, f_j1_k1, f_j1_b1, f_j2_b1, f_j2_b2, f_j3_k2, f_j3_b2)
    k1, k2, f_j1_k1, f_j1_b1, f_j2_b1, f_j2_b2, f_j3_k2, f_j3_b2 = (np.asarray(v, dtype=np.float64) for v in values)
    a, b = _at(k1, f_j1_k1), _at(k2, f_j3_k2)
    u, w = (f_j2_b1 - f_j1_b1)[..., :2], (f_j2_b2 - f_j3_b2)[..., :2]
    c, _, status = kernel_position(a, b, np.hypot(u[..., 0], u[..., 1]), np.hypot(w[..., 0], w[..., 1]), branch)
    b1 = _body(a, _wrap(np.arctan2(*(c - a)[..., ::-1].T).T - np.arctan2(u[..., 1], u[..., 0])), f_j1_b1)
    b2 = _body(b, _wrap(np.arctan2(*(c - b)[..., ::-1].T).T - np.arctan2(w[..., 1], w[..., 0])), f_j3_b2)
    q_j1 = _wrap(b1[..., 2] + f_j1_b1[..., 2] - k1[..., 2] - f_j1_k1[..., 2])[..., None]
    q_j2 = _wrap(b2[..., 2] + f_j2_b2[..., 2] - b1[..., 2] - f_j2_b1[..., 2])[..., None]
    q_j3 = _wrap(b2[..., 2] + f_j3_b2[..., 2] - k2[..., 2] - f_j3_k2[..., 2])[..., None]
    return b1, b2, q_j1, q_j2, q_j3, status
