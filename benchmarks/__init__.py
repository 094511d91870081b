"""What things cost, as ratios within one run: machines differ, ratios hardly do."""
