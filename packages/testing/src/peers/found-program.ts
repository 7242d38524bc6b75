/** A program that tests use, or why there is none on this machine. */
export type FoundProgram =
  | { readonly path: string }
  | { readonly path?: undefined /** For people, with what to do. */; readonly reason: string };

/** For the `skip` of tests. */
export const whySkipped = (...programs: readonly FoundProgram[]): string | false =>
  programs.flatMap(program => (program.path === undefined ? [program.reason] : [])).join('; ') || false;
