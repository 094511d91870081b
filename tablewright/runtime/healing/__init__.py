"""Healing: work that was lost on its way is asked for again."""
