"""Elements of the transfer matrix method in accelerations: rigid bodies, hinges, the steps of the Riccati recursion."""
