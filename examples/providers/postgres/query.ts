// Runs one statement and prints its rows, for those who have no psql: query.ts <uri> <statement>
import pg from 'pg';

const [uri, statement = ''] = process.argv.slice(2);
const client = new pg.Client(uri);
await client.connect();
const { rows } = await client.query(statement);
console.table(rows);
await client.end();
