import type { Outputs } from '../document/parameters.ts';

/** Copies outputs with a globalName to those of the workflow; the last writer wins. Returns whether anything changed. */
export function addGlobalOutputs(global: Outputs, { parameters = [], artifacts = [] }: Outputs): boolean {
  let isChanged = false;
  for (const { globalName, value } of parameters) {
    if (globalName === undefined || globalName === '') continue;
    const exported = value === undefined ? { name: globalName } : { name: globalName, value };
    isChanged = put((global.parameters ??= []), exported) || isChanged;
  }
  for (const artifact of artifacts) {
    if (artifact.globalName === undefined || artifact.globalName === '') continue;
    const { globalName: name, path: _path, ...rest } = artifact;
    isChanged = put((global.artifacts ??= []), { ...rest, name }) || isChanged;
  }
  return isChanged;
}

function put<T extends { name: string }>(list: T[], item: T): boolean {
  const at = list.findIndex(({ name }) => name === item.name);
  if (at < 0) list.push(item);
  else if (JSON.stringify(list[at]) === JSON.stringify(item)) return false;
  else list[at] = item;
  return true;
}
