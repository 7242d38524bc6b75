/** The admission rules of all kinds of the mesh, to be applied by the server that stores them. */

export { type MeshAdmissionRule, meshAdmissionRules } from './admission-rules.ts';
