"""What the user writes: pair types, safe expressions, mechanism files.

    pairs         Table 3: codes, grades, freedoms, where a type is allowed
    expressions   text -> tree -> numbers and derivatives, without eval
                  (expression_text reads, expression_tree differentiates, evaluation gives numbers)
    shapes, file_shape
                  the declarative shape of a mechanism file; its JSON Schema
    parts         frozen dataclasses: bodies, joint frames, joints, drive laws, forces
    parameters, read_bodies, read_joints, joint_frames, read_drives, read_dynamics
                  one part of the tree each: values checked, numbers evaluated
    mechanism     Mechanism: the parts together
    load, write   files: TOML and JSON
    importers     other formats: URDF, User_Data.m of MBSSA3D
    quaternions, nearest
                  vectors as tuples; the wording of refusals

Imports nothing of symgen but ``symgen.errors``; NumPy only when a law is
evaluated over an array of times; never SymPy.
"""
