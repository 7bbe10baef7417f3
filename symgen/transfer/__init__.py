"""Transfer matrices of multibody systems: chains, trees and loops from their tips to the root."""
