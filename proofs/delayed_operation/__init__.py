"""Operations that several threads try to complete, for each generation of their code."""
