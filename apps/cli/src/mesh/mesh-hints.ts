/** Hints by error code for requests about a mesh, where the landscape has none. */
export const meshHints: Readonly<Record<string, string>> = {
  NotFound: 'Name the mesh with --mesh: a Mesh of the platform cluster, or a logical cluster that is in none.',
  ServiceUnavailable: 'See that all clusters of the mesh can be reached: "npx chandlery cluster list".',
};
