"""Explicit Runge-Kutta schemes as data: order 4 with fixed steps, order 8 with error estimates and an interpolant.

Source: W. Kutta 1901 (order 4); J. R. Dormand, P. J. Prince 1980 and E. Hairer, S. P. Norsett, G. Wanner, "Solving
Ordinary Differential Equations I", 2nd ed. 1993, section II.10 and code DOP853 (order 8(5,3), interpolant of order 7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from symgen.errors import InputError
from symgen.poses import Array

#: Tolerance [rad or m] below which errors of steps are rounding.
LEAST_TOLERANCE = 1e-15


@dataclass(frozen=True)
class ExplicitScheme:
    """A scheme; its slopes are those of the stages, then that at the end of the step, then more for the interpolant.

    Parameters
    ----------
    order : of the scheme.
    stages : slopes of a step.
    width : number of all slopes.
    nodes : (width,) where in the step each slope is taken.
    slopes : (width, width) weights of the slopes before; row `stages` are the weights of the step.
    fine, coarse : (width,) weights of the two error estimates; zero if there are none.
    dense : (4, width) weights of the interpolant's last four terms; zero if there is none.
    """

    order: int
    stages: int
    width: int
    nodes: Array = field(repr=False)
    slopes: Array = field(repr=False)
    fine: Array = field(repr=False)
    coarse: Array = field(repr=False)
    dense: Array = field(repr=False)

    @property
    def adaptive(self) -> bool:
        """Whether it can choose its steps."""
        return bool(np.any(self.fine))


def _row(width: int, entries: Mapping[int, float]) -> Array:
    row = np.zeros(width)
    for index, value in entries.items():
        row[index] = value
    return row


def _scheme(
    order: int,
    stages: int,
    nodes: tuple[float, ...],
    slopes: tuple[Mapping[int, float], ...],
    fine: Mapping[int, float],
    coarse: Mapping[int, float],
    dense: tuple[Mapping[int, float], ...],
) -> ExplicitScheme:
    width = len(nodes)
    return ExplicitScheme(
        order,
        stages,
        width,
        np.array(nodes),
        np.array([_row(width, entries) for entries in slopes]),
        _row(width, fine),
        _row(width, coarse),
        np.array([_row(width, entries) for entries in dense]),
    )


_KUTTA = _scheme(
    4,
    4,
    (0.0, 0.5, 0.5, 1.0, 1.0),
    ({}, {0: 0.5}, {1: 0.5}, {2: 1.0}, {0: 1 / 6, 1: 1 / 3, 2: 1 / 3, 3: 1 / 6}),
    {},
    {},
    ({}, {}, {}, {}),
)

_WEIGHTS = {
    0: 5.42937341165687622380535766363e-2, 5: 4.45031289275240888144113950566, 6: 1.89151789931450038304281599044,
    7: -5.8012039600105847814672114227, 8: 3.1116436695781989440891606237e-1, 9: -1.52160949662516078556178806805e-1,
    10: 2.01365400804030348374776537501e-1, 11: 4.47106157277725905176885569043e-2,
}  # fmt: skip
_DORMAND_PRINCE = _scheme(
    8,
    12,
    (0.0, 0.526001519587677318785587544488e-1, 0.789002279381515978178381316732e-1, 0.118350341907227396726757197510,
     0.281649658092772603273242802490, 1 / 3, 1 / 4, 4 / 13, 127 / 195, 3 / 5, 6 / 7, 1.0, 1.0, 1 / 10, 1 / 5, 7 / 9),
    (
        {},
        {0: 5.26001519587677318785587544488e-2},
        {0: 1.97250569845378994544595329183e-2, 1: 5.91751709536136983633785987549e-2},
        {0: 2.95875854768068491816892993775e-2, 2: 8.87627564304205475450678981324e-2},
        {0: 2.41365134159266685502369798665e-1, 2: -8.84549479328286085344864962717e-1,
         3: 9.24834003261792003115737966543e-1},
        {0: 3.7037037037037037037037037037e-2, 3: 1.70828608729473871279604482173e-1,
         4: 1.25467687566822425016691814123e-1},
        {0: 3.7109375e-2, 3: 1.70252211019544039314978060272e-1, 4: 6.02165389804559606850219397283e-2,
         5: -1.7578125e-2},
        {0: 3.70920001185047927108779319836e-2, 3: 1.70383925712239993810273719705e-1,
         4: 1.07262030446373284651809199168e-1, 5: -1.53194377486244017527936158236e-2,
         6: 8.27378916381402288758473766002e-3},
        {0: 6.24110958716075717114429577812e-1, 3: -3.36089262944694129406857109825,
         4: -8.68219346841726006818189891453e-1,
         5: 2.75920996994467083049415600797e1, 6: 2.01540675504778934086186788979e1,
         7: -4.34898841810699588477366255144e1},
        {0: 4.77662536438264365890433908527e-1, 3: -2.48811461997166764192642586468,
         4: -5.90290826836842996371446475743e-1,
         5: 2.12300514481811942347288949897e1, 6: 1.52792336328824235832586722938e1,
         7: -3.32882109689848629194453265587e1,
         8: -2.03312017085086261358222928593e-2},
        {0: -9.3714243008598732571704021658e-1, 3: 5.18637242884406370830023853209,
         4: 1.09143734899672957818505394654,
         5: -8.14978701074692612513997267357, 6: -1.85200656599969598641566180701e1,
         7: 2.27394870993505042818970056734e1,
         8: 2.49360555267965238987089396762, 9: -3.0467644718982195003823669022},
        {0: 2.27331014751653820792359768449, 3: -1.05344954667372501984066689879e1,
         4: -2.00087205822486249909675718444,
         5: -1.79589318631187989172765950534e1, 6: 2.79488845294199600508499808837e1,
         7: -2.85899827713502369474065508674,
         8: -8.87285693353062954433549289258, 9: 1.23605671757943030647266201528e1,
         10: 6.43392746015763530355970484046e-1},
        _WEIGHTS,
        {0: 5.61675022830479523392909219681e-2, 6: 2.53500210216624811088794765333e-1,
         7: -2.46239037470802489917441475441e-1,
         8: -1.24191423263816360469010140626e-1, 9: 1.5329179827876569731206322685e-1,
         10: 8.20105229563468988491666602057e-3,
         11: 7.56789766054569976138603589584e-3, 12: -8.298e-3},
        {0: 3.18346481635021405060768473261e-2, 5: 2.83009096723667755288322961402e-2,
         6: 5.35419883074385676223797384372e-2,
         7: -5.49237485713909884646569340306e-2, 10: -1.08347328697249322858509316994e-4,
         11: 3.82571090835658412954920192323e-4, 12: -3.40465008687404560802977114492e-4,
         13: 1.41312443674632500278074618366e-1},
        {0: -4.28896301583791923408573538692e-1, 5: -4.69762141536116384314449447206,
         6: 7.68342119606259904184240953878,
         7: 4.06898981839711007970213554331, 8: 3.56727187455281109270669543021e-1,
         12: -1.39902416515901462129418009734e-3,
         13: 2.9475147891527723389556272149, 14: -9.15095847217987001081870187138},
    ),
    {0: 0.1312004499419488073250102996e-1, 5: -0.1225156446376204440720569753e1, 6: -0.4957589496572501915214079952,
     7: 0.1664377182454986536961530415e1, 8: -0.3503288487499736816886487290, 9: 0.3341791187130174790297318841,
     10: 0.8192320648511571246570742613e-1, 11: -0.2235530786388629525884427845e-1},
    {**_WEIGHTS, 0: _WEIGHTS[0] - 0.244094488188976377952755905512, 8: _WEIGHTS[8] - 0.733846688281611857341361741547,
     11: _WEIGHTS[11] - 0.220588235294117647058823529412e-1},
    (
        {0: -8.4289382761090128651353491142, 5: 0.56671495351937776962531783590, 6: -3.0689499459498916912704704727,
         7: 2.3846676565120698287753134976, 8: 2.1170345824450282767155149949, 9: -0.87139158377797299206789907490,
         10: 2.2404374302607882749540472165, 11: 0.63157877876946881815570249290,
         12: -0.088990336451333310820673977400,
         13: 18.148505520854727256656404962, 14: -9.1946323924783554000451959360,
         15: -4.4360363875948939664310572000},
        {0: 10.427508642579134603413105010, 5: 242.28349177525818288430175319, 6: 165.20045171727028198505394887,
         7: -374.54675472269020279518312152, 8: -22.113666853125306036270938578, 9: 7.7334326684722638389603898808,
         10: -30.674084731089398182061213626, 11: -9.3321305264302278729567221706, 12: 15.697238121770843886131091075,
         13: -31.139403219565177677282850411, 14: -9.3529243588444783865713862664,
         15: 35.816841486394083752465898540},
        {0: 19.985053242002433820987653617, 5: -387.03730874935176555105901742, 6: -189.17813819516756882830838328,
         7: 527.80815920542364900561016686, 8: -11.573902539959630126141871134, 9: 6.8812326946963000169666922661,
         10: -1.0006050966910838403183860980, 11: 0.77771377980534432092869265740,
         12: -2.7782057523535084065932004339,
         13: -60.196695231264120758267380846, 14: 84.320405506677161018159903784, 15: 11.992291136182789328035130030},
        {0: -25.693933462703749003312586129, 5: -154.18974869023643374053993627, 6: -231.52937917604549567536039109,
         7: 357.63911791061412378285349910, 8: 93.405324183624310003907691704, 9: -37.458323136451633156875139351,
         10: 104.09964950896230045147246184, 11: 29.840293426660503123344363579, 12: -43.533456590011143754432175058,
         13: 96.324553959188282948394950600, 14: -39.177261675615439165231486172,
         15: -149.72683625798562581422125276},
    ),
)  # fmt: skip

EXPLICIT: dict[int, ExplicitScheme] = {4: _KUTTA, 8: _DORMAND_PRINCE}


def oscillation_limit(scheme: ExplicitScheme) -> float:
    """Return the greatest h w for which a scheme does not let an undamped oscillation of frequency w grow."""
    for steps in range(1, 1000):
        z, slopes = 0.01j * steps, np.zeros(scheme.stages + 1, dtype=complex)
        for stage in range(scheme.stages + 1):
            slopes[stage] = 1.0 + z * (scheme.slopes[stage, :stage] @ slopes[:stage])
        if abs(slopes[-1]) > 1.0 + 1e-12:  # the row after the stages is the weights of a step: this is y after it
            return 0.01 * (steps - 1)
    return 10.0


def choose_explicit(order: int | None, tolerance: float | None, method: str = "group") -> ExplicitScheme:
    """Return the scheme of an order; by default 8 where a tolerance is given, else 4.

    Raises
    ------
    InputError
        There is no such order, or it cannot choose its steps and a tolerance is given, or one below rounding.
    """
    chosen = order if order is not None else (4 if tolerance is None else 8)
    if chosen not in EXPLICIT:
        raise InputError(f"order {order}: method {method} has orders {' and '.join(map(str, EXPLICIT))}")
    scheme = EXPLICIT[chosen]
    if tolerance is not None and not scheme.adaptive:
        raise InputError(f"order {chosen} has equal steps: give step, or a tolerance with order 8")
    if tolerance is not None and tolerance < LEAST_TOLERANCE:
        raise InputError(
            f"tolerance {tolerance!r}: numbers of 16 digits cannot reach it with any step; allowed is "
            f"{LEAST_TOLERANCE:g} or more"
        )
    return scheme
