// The behavior of the agents in these tests: they book a table with three tool calls, one of which fails.
const seats = { friday: 0, saturday: 4 }

/** The result of the tool search. */
export const search = ({ day }) => ({ free: seats[day] })

/** The result of the tool book. */
export function book({ day, people }) {
  if (seats[day] < people) throw new Error(`no ${people} seats on ${day}`)
  return `booked ${people} on ${day}`
}

/** The tool calls of a turn: one, or several at the same time. */
export const callsOf = ({ call, calls = call === undefined ? [] : [call] }) => calls

/** The model's output, turn by turn: tool calls one after another, then text. */
export const turns = [
  { call: { id: 'c1', name: 'search', args: { day: 'friday' } } }, { call: { id: 'c2', name: 'book', args: { people: 4, day: 'friday' } } },
  { call: { id: 'c3', name: 'book', args: { people: 4, day: 'saturday' } } }, { words: ['Booked ', 'for ', 'Saturday.'] },
]
