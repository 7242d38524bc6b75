import { refuse } from './problem.ts';

const maxLength = 128;
const fieldName = /^[a-zA-Z0-9][-a-zA-Z0-9]*$/;
const parameterName = /^[-a-zA-Z0-9_]+$/;

const fieldProblem =
  "name must consist of alpha-numeric characters or '-', and must start with an alpha-numeric character (e.g. My-name1-2, 123-NAME)";
const parameterProblem =
  "Parameter/Artifact name must consist of alpha-numeric characters, '_' or '-' e.g. my_param_1, MY-PARAM-1";

/** What is wrong with the name of a template, step or task; empty when nothing is. */
export function fieldNameProblem(name: string): string {
  const problems = name.length > maxLength ? [`must be no more than ${maxLength} characters`] : [];
  if (!fieldName.test(name)) problems.push(fieldProblem);
  return problems.join(';');
}

/** What is wrong with the name of a parameter or artifact; empty when nothing is. */
export const parameterNameProblem = (name: string): string => (parameterName.test(name) ? '' : parameterProblem);

/** Refuses a list whose items have no name, a malformed one, or one that was there before. */
export function checkNames(
  items: readonly { readonly name?: string }[] | undefined,
  problemOf: (name: string) => string,
): void {
  const seen = new Set<string>();
  for (const [index, { name = '' }] of (items ?? []).entries()) {
    if (name === '') refuse(`[${index}].name is required`);
    const problem = problemOf(name);
    if (problem !== '') refuse(`[${index}].name: '${name}' is invalid: ${problem}`);
    if (seen.has(name)) refuse(`[${index}].name '${name}' is not unique`);
    seen.add(name);
  }
}
