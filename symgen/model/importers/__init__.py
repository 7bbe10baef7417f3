"""Other formats to mechanism files: every one ends in the tree of a mechanism file and notes for people.

imported         the result; reading a file with a limit
matlab_literals  assignments of literals in a MATLAB script, nothing else
user_data        User_Data.m of MBSSA3D
xml_tree         elements of an XML text: no DTD, no entities, limits
urdf_numbers     numbers in its attributes
urdf_motion      what a joint says besides its geometry: range, damping, mimic
urdf_parts       links and joints of a robot, checked
urdf             a robot as the tree of a mechanism file
side_table       loops, inputs and laws that URDF cannot say
"""
