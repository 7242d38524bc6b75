/**
 * Expands `$(NAME)` as Kubernetes does: `$$` stands for one dollar sign, unknown names stay as they are written.
 */
export const expand = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replace(/\$\$|\$\(([^)]*)\)/g, (written, name: string | undefined) => {
    if (written === '$$') return '$';
    return (name !== undefined && Object.hasOwn(variables, name) ? variables[name] : undefined) ?? written;
  });
