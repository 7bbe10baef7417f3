% Spatial four-bar, as in the listing of the paper: digits stand where there is no pair,
% and not the same ones on both sides.
clear all; clc;

ProblemType = '3D';

M = {'1' 'R' '2' 'P'
     'R' '2' 'S' '1'
     '1' 'S' '3' 'C'
     'P' '2' 'C' '4'};

KnownInputs = [0 1 0 0
               1 0 0 0
               0 0 0 0
               0 0 0 0];
