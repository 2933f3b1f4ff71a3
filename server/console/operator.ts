// The page of operators. It calls the admin API with the token of its operator.

import './style.css'
import { operatorStart } from './operator/operator-start.ts'

operatorStart()
