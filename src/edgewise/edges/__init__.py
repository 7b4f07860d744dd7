"""Decisions: one file a test."""
