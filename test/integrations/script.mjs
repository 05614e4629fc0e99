// What the agents of the tests here do: they book a table by three calls of tools, one of which fails.
const seats = { friday: 0, saturday: 4 }

/** What the tool search gives. */
export const search = ({ day }) => ({ free: seats[day] })

/** What the tool book gives. */
export function book({ day, people }) {
  if (seats[day] < people) throw new Error(`no ${people} seats on ${day}`)
  return `booked ${people} on ${day}`
}

/** What the model says, turn by turn: calls of tools one after the other, then words. */
export const turns = [
  { call: { id: 'c1', name: 'search', args: { day: 'friday' } } }, { call: { id: 'c2', name: 'book', args: { people: 4, day: 'friday' } } },
  { call: { id: 'c3', name: 'book', args: { people: 4, day: 'saturday' } } }, { words: ['Booked ', 'for ', 'Saturday.'] },
]
