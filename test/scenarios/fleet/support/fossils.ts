/** A version of the product that no cluster takes: the name of an object contains capitals. */
export const brokenVersion = '1.0.1-BROKEN';

/** The newest version, which orders get. */
export const newestVersion = '1.0.2';

const metadata = { name: 'fossil' };

/** How agents run a fossil: three objects, of which nothing runs, so that hundreds of them fit on this machine. */
export const fossilsProgram = {
  objects: [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'fossil-{{ versions.product }}' },
      data: { name: '{{ name }}', version: '{{ versions.product }}' },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      stringData: { 'tls.crt': '{{ tls.cert }}', password: '{{ serviceAccounts.0.password }}' },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...metadata, annotations: { 'fleet.chandlery.io/route': '' } },
      spec: { selector: { app: 'fossil' }, ports: [{ name: 'https', port: 443 }] },
    },
  ],
  operatorVersions: [{ version: '1.0.0-1', productVersions: ['1.0.0', brokenVersion, newestVersion] }],
};
