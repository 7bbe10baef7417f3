"""Small robots of our own, each with what makes files of real robots hard to read. No file of theirs is copied."""

from __future__ import annotations

SOLID = (
    '<inertial><origin xyz="0.05 0.01 -0.02" rpy="0.1 0.2 0.3"/><mass value="{mass}"/>'
    '<inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.025"/></inertial>'
)


def solid(name: str, mass: float = 1.5) -> str:
    return f'<link name="{name}">{SOLID.format(mass=mass)}</link>'


def bare(name: str) -> str:
    return f'<link name="{name}"/>'


def joint(name: str, kind: str, parent: str, child: str, inside: str = "", xyz: str = "0.1 0.05 -0.2") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="0.2 -0.1 0.3"/>{inside}</joint>'
    )


Y, X = '<axis xyz="0 1 0"/>', '<axis xyz="1 0 0"/>'
RANGE = '<limit lower="-1.5" upper="1.5" effort="80" velocity="3"/>'
NO_AXIS = '<axis xyz="0 0 0"/>'

#: As humanoids (Talos, TIAGo) are: sensors and tools on fixed joints with an axis of length 0, damping and friction.
HUMANOID = "".join(
    (
        '<robot name="humanoid">',
        bare("base_footprint"),
        solid("torso", 8.0),
        bare("imu_link"),
        solid("arm"),
        bare("gripper_tool"),
        joint("base", "fixed", "base_footprint", "torso", NO_AXIS),
        joint("imu_joint", "fixed", "torso", "imu_link", NO_AXIS),
        joint("arm_1", "revolute", "torso", "arm", Y + RANGE + '<dynamics damping="0.7" friction="1.2"/>'),
        joint("tool_joint", "fixed", "arm", "gripper_tool", '<axis xyz="0.0 -0 0"/>'),
        "</robot>",
    )
)

#: As iCub's: blanks before the declaration, one axis twice, the root's only child is welded, chains of frames.
FRAMES = "".join(
    (
        '\n\n  <?xml version="1.0" encoding="utf-8"?>\n<robot name="frames">\n',
        bare("root_link"),
        solid("hips", 4.0),
        solid("leg", 2.0),
        bare("sole"),
        bare("sole_frame"),
        joint("hips_fixed", "fixed", "root_link", "hips"),
        joint("hip", "revolute", "hips", "leg", Y + '<axis xyz="1 0 0"/>' + RANGE),
        joint("sole_fixed", "fixed", "leg", "sole"),
        joint("frame_fixed", "fixed", "sole", "sole_frame"),
        "</robot>",
    )
)

#: As Panda's: no inertia at all in the hand, fingers that mimic each other, limits that leave zero out.
FINGERS = "".join(
    (
        '<robot name="fingers">',
        bare("link0"),
        solid("link1", 3.0),
        bare("link8"),
        solid("hand", 0.7),
        solid("left", 0.1),
        solid("right", 0.1),
        joint("j1", "revolute", "link0", "link1", Y + '<limit lower="-3.0" upper="-0.07" effort="87" velocity="2"/>'),
        joint("j8", "fixed", "link1", "link8", NO_AXIS),
        joint("hand_joint", "fixed", "link8", "hand"),
        joint("finger-1", "prismatic", "hand", "left", Y + '<limit lower="0" upper="0.04" effort="20"/>'),
        joint(
            "finger-2", "prismatic", "hand", "right",
            '<axis xyz="0 -1 0"/><limit effort="20" velocity="0.2"/><mimic joint="finger-1" multiplier="-1.5" '
            'offset="-0.01"/>',
        ),
        "</robot>",
    )
)  # fmt: skip

#: As Go2's and other legs: rotors and feet as links of their own, thin frames in the chain between two moving joints.
LEG = "".join(
    (
        '<robot name="leg">',
        solid("trunk", 6.0),
        bare("hip_frame"),
        solid("hip", 0.6),
        bare("thigh_shoulder"),
        solid("thigh", 1.0),
        '<link name="foot"><inertial><mass value="0.04"/></inertial></link>',
        joint("hip_mount", "fixed", "trunk", "hip_frame", NO_AXIS),
        joint("hip_joint", "revolute", "hip_frame", "hip", X + RANGE + '<dynamics damping="0" friction="0"/>'),
        joint("shoulder_mount", "fixed", "hip", "thigh_shoulder", NO_AXIS),
        joint("thigh_joint", "continuous", "thigh_shoulder", "thigh", Y + '<limit effort="20" velocity="30"/>'),
        joint("foot_mount", "fixed", "thigh", "foot"),
        "</robot>",
    )
)

#: As Kinova's: parent `world` that the file does not declare, limits at infinity, a massless link between two joints.
WORLD = "".join(
    (
        '<robot name="on the world">',
        solid("base", 2.0),
        bare("wrist"),
        solid("hand", 0.8),
        joint("mount", "fixed", "world", "base", NO_AXIS),
        joint("turn", "continuous", "base", "wrist", '<axis xyz="0 0 1"/><limit lower="-inf" upper="inf" effort="9"/>'),
        joint("bend", "revolute", "wrist", "hand", Y + '<limit lower="0" upper="0" effort="9" velocity="1"/>'),
        "</robot>",
    )
)

ROBOTS = {"humanoid": HUMANOID, "frames": FRAMES, "fingers": FINGERS, "leg": LEG, "world": WORLD}
