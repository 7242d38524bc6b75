import type * as Mesh from '@chandlery/mesh/agent';

/** Loads the client side of the mesh on demand, because only some commands need it. */
export const loadMesh = (): Promise<typeof Mesh> => import('@chandlery/mesh/agent');
