% Spatial four-bar, as the paper prints the listing: B as a number, names shared with the program as globals,
% digits where there is no pair and not the same ones on both sides.
clear all; clc;
global ProblemType M KnownInputs N

ProblemType = 6;   % 3: planar, 6: spatial

M = {'1' 'R' '2' 'P'
     'R' '2' 'S' '1'
     '1' 'S' '3' 'C'
     'P' '2' 'C' '4'};
N = length(M);

KnownInputs = [0 1 0 0
               1 0 0 0
               0 0 0 0
               0 0 0 0];
