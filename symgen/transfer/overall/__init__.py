"""The overall transfer equation of a system: deduced, put into numbers and solved."""
