import type * as Mesh from '@chandlery/mesh/agent';

/** Loads what makes a client of the mesh; only commands that are one wait for that. */
export const loadMesh = (): Promise<typeof Mesh> => import('@chandlery/mesh/agent');
