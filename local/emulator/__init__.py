"""Emulator: the local cloud's process, its server, its folder and how to reach it."""
