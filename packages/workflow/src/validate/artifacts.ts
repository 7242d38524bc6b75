import type { Artifact } from '../document/parameters.ts';
import { isFields } from '../document/parse-workflow.ts';
import { refuse } from './problem.ts';

/** Refuses a location that lacks what its driver needs. */
export function checkLocation(path: string, artifact: Artifact): void {
  const { git } = artifact;
  if (isFields(git) && !git['repo']) refuse(`${path}.git.repo is required`);
}

/** Refuses a path that is missing or leaves its folder by `..`. */
export function checkPath(path: string, { name, path: file = '' }: Artifact): void {
  if (file === '') refuse(`error in ${path}: Artifact '${name}' did not specify a path`);
  if (file.split('/').includes('..')) {
    refuse(
      `error in ${path}: Artifact '${name}' attempted to use a path containing '..'. Directory traversal is not permitted`,
    );
  }
}
