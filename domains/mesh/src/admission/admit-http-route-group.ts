import { firstRepeated } from '@chandlery/api';
import { headersOf, sizeProblem } from '../kinds/smi/http-matches.ts';
import type { SmiHttpRouteGroup } from '../kinds/smi/http-route-group.ts';
import { patternProblem } from '../kinds/smi/pattern/pattern.ts';
import { type Admission, allow, reject } from './admission.ts';

type Match = SmiHttpRouteGroup['spec']['matches'][number];

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;

/** Admits groups whose matches proxies can evaluate. Headers are normalized to one map. */
export function admitHttpRouteGroup(group: SmiHttpRouteGroup): Admission<SmiHttpRouteGroup> {
  const { matches } = group.spec;
  const tooMuch = sizeProblem(matches);
  if (tooMuch !== undefined) return reject(`spec.matches: ${tooMuch}`);
  const twice = firstRepeated(matches.map(({ name }) => name));
  if (twice !== undefined) return reject(`spec.matches: two matches are named "${twice}"`);
  const tidy: Match[] = [];
  for (const match of matches) {
    const headers = headersOf(match.headers);
    const problem = typeof headers === 'string' ? headers : (pathProblem(match) ?? headerProblem(headers));
    if (problem !== undefined) return reject(`spec.matches: "${match.name}": ${problem}`);
    tidy.push(match.headers === undefined || typeof headers === 'string' ? match : { ...match, headers });
  }
  const isTidy = matches.every(({ headers }) => !Array.isArray(headers));
  return isTidy ? allow : { type: 'allow', object: { ...group, spec: { ...group.spec, matches: tidy } } };
}

function pathProblem({ pathRegex = '' }: Match): string | undefined {
  const problem = patternProblem(pathRegex);
  return problem === undefined ? undefined : `pathRegex is no RE2: ${problem}`;
}

function headerProblem(headers: Readonly<Record<string, string>>): string | undefined {
  for (const [name, pattern] of Object.entries(headers)) {
    if (!headerName.test(name)) return `"${name}" is no name of a header`;
    if (typeof pattern !== 'string') return `the pattern of the header "${name}" must be text`;
    const problem = patternProblem(pattern);
    if (problem !== undefined) return `the pattern of the header "${name}" is no RE2: ${problem}`;
  }
  return undefined;
}
