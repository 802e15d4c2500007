"""What reads each format of tables."""
