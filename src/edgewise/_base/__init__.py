"""Helpers for all folders: checks, words for messages, warnings, atomic files, types."""
