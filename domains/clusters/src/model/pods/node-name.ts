/** A valid name of a Node object from the name of a machine. */
export function nodeNameOf(machineName: string): string {
  const allowed = machineName.toLowerCase().replaceAll(/[^a-z0-9.-]+/g, '-');
  const labels = allowed.split('.').map(label => label.replace(/^-+|-+$/g, '').slice(0, 63));
  return labels.filter(label => label !== '').join('.') || 'node';
}
