"""Edges: where calls of AWS leave a program, and what they ask for."""
