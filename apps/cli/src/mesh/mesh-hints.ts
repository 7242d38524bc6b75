/** What to do about errors of questions about a mesh, by their code, where the landscape does not say. */
export const meshHints: Readonly<Record<string, string>> = {
  NotFound: 'Name the mesh with --mesh: a Mesh of the platform cluster, or a logical cluster that is in none.',
  ServiceUnavailable: 'See that all clusters of the mesh can be reached: "npx chandlery clusters list".',
};
