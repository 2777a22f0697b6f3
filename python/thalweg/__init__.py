"""Thalweg makes parallel programs communicate faster on the machine that they really run on."""
