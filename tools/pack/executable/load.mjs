// Imports a module for the executable's main program, which cannot do so itself.
export const load = url => import(url);
